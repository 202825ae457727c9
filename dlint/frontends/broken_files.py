"""Why a file is no module: what is said of it, and where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dlint.findings.places import Place
from dlint.workspace import asked
from dlint.workspace.source import FileProblem, Source

if TYPE_CHECKING:
    from dlint.workspace.parsing import SyntaxProblem

_LONGEST_TARGET = 1_000
"""Characters."""


def problem_of(source: Source, problem: SyntaxProblem) -> FileProblem | None:
    """What is said of a text that is no Python; None where nothing is."""
    if _is_link(source):
        return None
    offset = _offset(source, problem)
    return FileProblem(Place(source.path, offset, offset), problem.message, True)


def _is_link(source: Source) -> bool:
    """Whether Git wrote a link as a text file that holds its target, as on Windows by default."""
    target = source.text
    if "\n" in target or len(target) > _LONGEST_TARGET:
        return False
    return asked.is_file(Path(source.path).parent / target)


def _offset(source: Source, problem: SyntaxProblem) -> int:
    """Where a problem is; one behind the end of its row, or of the text, is at that end.

    One of a text as a whole stands where the user sees its first character.
    """
    row = min(max(problem.row, 1), len(source.line_starts))
    column = min(max(problem.column, 1), len(source.line(row)) + 1)
    offset = source.offset(row, column)
    return max(offset, source.part(offset).start)
