"""What an analysis says, to be compared with another."""

from __future__ import annotations

from dlint.engine.request import Outcome


def told(outcome: Outcome) -> list[object]:
    """The findings, and what is said beside them."""
    return [outcome.diagnostics, outcome.notes, outcome.warnings]
