"""Sources in memory, operations lowered on them, and places found by their text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.findings.diagnostic import Applicability, Fix
from dlint.findings.edits import apply_edits
from dlint.findings.operations import Operation
from dlint.findings.places import Place
from dlint.fixes.lowering import lower
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

PATH = "/project/train.py"

Lowered = Callable[..., str | None]
Find = Callable[..., Place]


@pytest.fixture
def lowered() -> Lowered:
    """The text after all operations on it, None where they cannot be lowered."""

    def run(text: str, *operations: Operation) -> str | None:
        fix = Fix(Applicability.SAFE, "fix it", operations)
        edits = lower(fix, Sources({PATH: Source(PATH, text)}))
        return None if edits is None else apply_edits(text, edits)

    return run


@pytest.fixture
def find() -> Find:
    """The place of a piece of text, of the first one or the one of `number`."""

    def run(text: str, piece: str, number: int = 0) -> Place:
        start = -1
        for _ in range(number + 1):
            start = text.index(piece, start + 1)
        return Place(PATH, start, start + len(piece))

    return run
