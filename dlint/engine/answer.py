"""What is said of one part of a project."""

from __future__ import annotations

from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.errors import DlintCrash


class Answer:
    """What the rules found in one part, wherever it lies in it."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.notes: list[str] = []
        """What was cut short, and which versions were taken."""
        self.crashes: list[DlintCrash] = []
        """Rules that failed."""
