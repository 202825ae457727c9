"""How a verification is followed: a bar on a terminal, lines where standard error is kept."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from dlint.verify.judge.results import Result, Verdict
from dlint.verify.report import words
from dlint.verify.report.watching import NullObserver, Observer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_BAR = 40
_STYLES = {
    Verdict.CONFIRMED: "bold green",
    Verdict.FIXES_CRASH: "bold green",
    Verdict.FIXES_FAULT: "bold green",
    Verdict.SLOWER: "bold red",
    Verdict.CHANGES_RESULTS: "bold red",
    Verdict.FAILED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
}


class Progress(Observer, Protocol):
    """Says on standard error how it goes on."""

    def note(self, text: str) -> None:
        """Say something that stays."""

    def close(self) -> None:
        """Nothing more will come."""


def follow(quiet: bool) -> Progress:
    """What fits where standard error goes, and what is installed."""
    if quiet:
        return _Quiet()
    with suppress(ImportError):
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        if console.is_terminal and not console.is_dumb_terminal:
            return Board(console)
    return Lines()


class _Quiet(NullObserver):
    """Says nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def close(self) -> None:
        """There is nothing to close."""


class Lines:
    """A line for everything, with the time that has gone by."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._end: float | None = None

    def note(self, text: str) -> None:
        """Say something that stays."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def doing(self, text: str) -> None:
        """Say what is done from now on, and how long all of it may still take."""
        now = time.monotonic()
        left = "" if self._end is None else f"; at most {max(0.0, self._end - now):.0f} s left"
        self.note(f"[{now - self._begun:4.0f} s] {text}{left}")

    def until(self, end: float) -> None:
        """From now on it is known how long it may take."""
        self._end = end

    def done(self, result: Result) -> None:
        """Say a verdict."""
        self.note(f"[{time.monotonic() - self._begun:4.0f} s] {_spoken(result)}")

    def close(self) -> None:
        """There is nothing to close."""


class Board:
    """What is done and how much of the time is gone, in two lines that change; verdicts above."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._begun = time.monotonic()
        self._since = self._begun
        self._end: float | None = None
        self._text = ""
        # Drawing takes time from the program that is measured: once a second.
        self._live = Live(
            get_renderable=self._drawn, console=console, refresh_per_second=1, transient=True
        )

    def note(self, text: str) -> None:
        """Say something that stays."""
        self._console.print(text, markup=False)

    def doing(self, text: str) -> None:
        """Show what is done from now on."""
        self._text = text
        self._live.start()
        self._live.refresh()

    def until(self, end: float) -> None:
        """From now on it is known how long it may take."""
        self._since, self._end = time.monotonic(), end

    def done(self, result: Result) -> None:
        """Print a verdict above what changes."""
        from rich.text import Text

        self._console.print(Text(_spoken(result), _STYLES.get(result.verdict, "dim")))

    def close(self) -> None:
        """Take away what changes."""
        self._live.stop()

    def _drawn(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        return Group(Text(self._text, no_wrap=True, overflow="ellipsis"), self._clock())

    def _clock(self) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        now = time.monotonic()
        gone = _minutes(now - self._begun)
        if self._end is None:
            return f"{gone} gone by"
        bar = ProgressBar(self._end - self._since, now - self._since, width=_BAR)
        grid = Table.grid(padding=(0, 1))
        grid.add_row(bar, f"{gone} gone by, at most {_minutes(self._end - now)} left")
        return grid


def _spoken(result: Result) -> str:
    """A verdict in one line."""
    gained = words.headline(result)
    said = f"{words.LABELS[result.verdict]}: {words.title(result)}"
    return f"{said}, {gained}" if gained else said


def _minutes(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02}"
