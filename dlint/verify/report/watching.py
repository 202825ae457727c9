"""Who is told how a verification goes on."""

from __future__ import annotations

from typing import Protocol

from dlint.verify.judge.results import Result


class Observer(Protocol):
    """Somebody who waits for the verdicts."""

    def doing(self, text: str) -> None:
        """What is done from now on."""

    def until(self, end: float) -> None:
        """All that is timed will be through by then, on the monotonic clock."""

    def done(self, result: Result) -> None:
        """A result stands."""


class NullObserver:
    """An observer that does not care."""

    def doing(self, text: str) -> None:
        """Take no notice."""

    def until(self, end: float) -> None:
        """Take no notice."""

    def done(self, result: Result) -> None:
        """Take no notice."""
