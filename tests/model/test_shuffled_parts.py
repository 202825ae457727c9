"""Slices of what is shuffled in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.model.data.shuffled_parts import parts_of_shuffled

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import random
from torch.utils.data import DataLoader

class Parts:
    def __init__(self, rows, others):
        self.rows, self.others = list(rows), list(others)
        {before}
        random.shuffle({shuffled})
        return DataLoader({taken}[100:]), DataLoader({taken}[:100])
"""


@pytest.mark.parametrize(
    ("before", "shuffled", "taken", "found"),
    [
        ("pass", "self.rows", "self.rows", 2),
        ("mixed = self.rows", "mixed", "self.rows", 2),
        ("mixed = self.rows", "self.rows", "mixed", 2),
        ("mixed = self.rows; same = mixed", "same", "mixed", 2),
        ("mixed = self.rows", "mixed", "self.others", 0),
        ("mixed = self.others", "self.rows", "mixed", 0),
        ("mixed = list(self.rows)", "mixed", "self.rows", 0),
    ],
)
def test_names_of_what_is_shuffled(
    context: MakeContext, before: str, shuffled: str, taken: str, found: int
) -> None:
    text = TEXT.format(before=before, shuffled=shuffled, taken=taken)
    (call,) = calls_anywhere(context(text), "shuffle")
    assert len(parts_of_shuffled(call)) == found
