"""syntax-error: a file that is no Python module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding

if TYPE_CHECKING:
    from dlint.workspace.source import FileProblem


def check(problem: FileProblem) -> Iterator[Finding]:
    """The place at which the parser gave up."""
    if problem.is_read:
        yield Finding(Severity.ERROR, problem.message, problem.place)
