"""Which library's callable makes an object, itself or by the class that it is of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.library_classes import library_classes
from dlint.analyses.running_calls import calls_named
from dlint.semantics.values.values import is_of_library, library_path

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
PROGRAM = """
from torch import Generator
from torch.utils.data import DataLoader, Dataset

class Batches(DataLoader):
    pass

class Rows(Dataset):
    pass

made = {made}
loader = DataLoader([1])
use(made)
"""


@pytest.mark.parametrize(
    ("made", "path", "classes"),
    [
        ("Generator()", "torch.Generator", ["torch.Generator"]),
        ("DataLoader([1])", "torch.utils.data.DataLoader", ["torch.utils.data.DataLoader"]),
        ("Batches([1])", "", ["torch.utils.data.DataLoader"]),
        ("Rows()", "", []),
        ("Generator", "", []),
        ("[Generator()]", "", []),
        ("unknown()", "", []),
    ],
)
def test_what_of_a_library_makes_an_object(
    context: MakeProgram, made: str, path: str, classes: list[str]
) -> None:
    program = context(PROGRAM.format(made=made))
    (call,) = calls_named(program, "use")
    (value,) = program.values(call.arguments[0].value, call.scope)
    assert library_path(value) == path
    assert is_of_library(value) == bool(path)
    assert list(library_classes(program, value)) == classes
