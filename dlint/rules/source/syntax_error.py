"""syntax-error: a file that is no Python module, or one of a Python of long ago."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding

if TYPE_CHECKING:
    from dlint.model.versions.older_pythons import OlderPythons
    from dlint.workspace.source import FileProblem


_CELLS = "cells of a notebook, saved with IPython's commands, and not checked: no Python reads them"


def check(problem: FileProblem, older: OlderPythons) -> Iterator[Finding]:
    """The place at which the parser gave up."""
    if not problem.is_read:
        return
    if older.is_for_ipython(problem):
        yield Finding(Severity.INFO, f"{_CELLS}: {problem.message}", problem.place)
        return
    folder = older.set_aside(problem)
    if folder is not None:
        message = f"kept in `{folder}`, and not checked: {problem.message}"
        yield Finding(Severity.INFO, message, problem.place)
        return
    age = older.age(problem)
    if age is None:
        yield Finding(Severity.ERROR, problem.message, problem.place)
        return
    message = (
        f"written for Python {age.python}, by {age.by}, and not checked, as dlint reads the "
        f"Python of today: {problem.message}"
    )
    yield Finding(Severity.INFO, message, problem.place)
