"""unreadable-file: a file whose text cannot be read or decoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding

if TYPE_CHECKING:
    from dlint.model.versions.older_pythons import OlderPythons
    from dlint.workspace.source import FileProblem


def check(problem: FileProblem, _: OlderPythons) -> Iterator[Finding]:
    """The file, and the first line that cannot be decoded."""
    if not problem.is_read:
        yield Finding(Severity.ERROR, problem.message, problem.place)
