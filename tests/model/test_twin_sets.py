"""Data sets that differ by their transforms alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.model.data.twin_sets import are_twins

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from os.path import join
from torch.utils.data import DataLoader
from torchvision.transforms import v2

class Pictures:
    def __init__(self, rows, transform):
        self.rows, self.transform = rows, transform

def main(root, parts):
    {before}
    one = Pictures({first}, v2.RandomResizedCrop(320))
    {between}
    other = Pictures({second}, v2.Resize(320))
    return DataLoader(one), DataLoader(other)
"""


@pytest.mark.parametrize(
    ("before", "first", "between", "second", "twins"),
    [
        ("pass", "f'{root}/a'", "pass", "f'{root}/a'", True),
        ("pass", "f'{root}/a'", "pass", "f'{root}/b'", False),
        ("path = f'{root}/a'", "path", "again = f'{root}/a'", "again", True),
        ("path = f'{root}/a'", "path", "again = f'{root}/b'", "again", False),
        ("path = f'{root}/a'", "path", "root = root[1:]; again = f'{root}/a'", "again", False),
        ("path = join(root, 'a')", "path", "again = join(root, 'a')", "again", True),
        ("rows = list(parts)", "rows", "more = list(parts); more.sort()", "more", False),
        ("rows = next(parts)", "rows", "rows = parts[0]", "rows", False),
        ("path = f'{root}/a'; same = path", "path", "pass", "same", True),
    ],
)
def test_what_data_sets_are_made_of(
    context: MakeContext, before: str, first: str, between: str, second: str, *, twins: bool
) -> None:
    text = TEXT.format(before=before, first=first, between=between, second=second)
    analysed = context(text)
    one, other = calls_anywhere(analysed, "Pictures")
    assert are_twins(analysed, one, other) is twins
