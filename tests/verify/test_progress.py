"""What is seen while a verification runs: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import sys
import time

import pytest
from rich.console import Console

from dlint.cli.verify_progress import Board, Lines, Progress, follow
from dlint.verify.judge.results import Mode, Result, Verdict
from dlint.verify.judge.statistics import Decision, Estimate
from dlint.verify.plan.candidates import from_patch
from dlint.verify.plan.claims import Observable

FASTER = Estimate(Decision.FASTER, 1.25, 1.2, 1.3, 4, 0.01, 0.985, 1.05)


def result() -> Result:
    """A fix that pays."""
    tried = (from_patch("zero-workers", {}),)
    details = {"observable": Observable.EPOCH.value}
    return Result(tried, Mode.ALONE, Verdict.CONFIRMED, estimate=FASTER, details=details)


def _tell(progress: Progress, note: str, first: str, second: str) -> None:
    """What a verification of a minute and a half tells."""
    progress.note(note)
    progress.doing(first)
    progress.until(time.monotonic() + 90)
    progress.doing(second)
    progress.done(result())
    progress.close()


def test_lines_hold_the_time_that_is_left_and_the_verdicts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _tell(Lines(), "about to run", "looking", "timing")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "about to run",
        "[   0 s] looking",
        "[   0 s] timing; at most 90 s left",
        "[   0 s] confirmed: zero-workers, an epoch 1.25x (1.20..1.30)",
    ]


def test_a_terminal_shows_the_time_left_and_keeps_the_verdicts() -> None:
    said = io.StringIO()
    board = Board(Console(file=said, force_terminal=True, width=80, color_system=None))
    _tell(board, "about to run [bold]", "looking at it", "timing it [pair 3]")
    text = said.getvalue()
    assert "about to run [bold]" in text
    assert "looking at it\n0:00 gone by" in text
    assert "timing it [pair 3]\n" in text
    assert " 0:00 gone by, at most 1:30 left" in text
    assert "confirmed: zero-workers, an epoch 1.25x (1.20..1.30)" in text
    assert text.index("timing") < text.index("confirmed") < text.rindex("left")
    assert text.count("\x1b[?25h") == 1, "the cursor is shown again"


def test_what_follows_fits_where_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(follow(quiet=False), Lines)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert isinstance(follow(quiet=False), Board)
    assert not isinstance(follow(quiet=True), Board | Lines)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(follow(quiet=False), Lines)


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    _tell(follow(quiet=True), "about to run", "looking", "timing")
    assert capsys.readouterr().err == ""
