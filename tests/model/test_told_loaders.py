"""Loaders of which a finding may stand where findings are wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

FILES = {
    "made.py": """
from torch.utils.data import DataLoader

def make(data):
    return DataLoader(data, 8)
""",
    "train.py": """
from made import make

def train(data):
    for x in make(data):
        print(x)
""",
    "other.py": """
from torch.utils.data import DataLoader

def test(data):
    for x in DataLoader(data, 2):
        print(x)
""",
}


@pytest.mark.parametrize(
    ("told", "made"),
    [("made.py", ["made.py"]), ("train.py", ["made.py"]), ("other.py", ["other.py"]), ("x", [])],
)
def test_where_it_is_made_and_where_it_is_made_for(
    context: MakeContext, told: str, made: list[str]
) -> None:
    program = context(FILES)
    assert len(program[Loaders].by_call()) == 2
    program.told = lambda path: path.endswith(told)
    paths = [group[0].place.path for group in program[Loaders].told()]
    assert [path.rpartition("/")[2] for path in paths] == made


def test_all_where_nobody_says_of_which_files(context: MakeContext) -> None:
    program = context(FILES)
    assert [*program[Loaders].told()] == [*program[Loaders].by_call().values()]
