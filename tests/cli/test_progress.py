"""What is said while a check runs: to who looks at a terminal, and only if it takes its time."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from dlint.cli import progress
from dlint.cli.progress import Followed, followed
from dlint.engine.request import Progress


class Terminal(io.StringIO):
    """Somebody looks at it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error, where no CI runs."""
    terminal = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=terminal))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return terminal


def test_a_run_that_takes_its_time_is_told_and_erased(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "AFTER", 0.001)
    with followed(quiet=False) as counts:
        assert counts is not None
        counts.modules, counts.programs = 12, 1
        while "12 files" not in terminal.getvalue():
            time.sleep(0.001)
    *_, said, blank, end = terminal.getvalue().split("\r")
    assert said.rstrip() == "12 files read, 1 program analysed, 0 s"
    assert (blank.strip(), end, len(blank)) == ("", "", len(said.rstrip()))


def test_a_short_run_says_nothing(terminal: Terminal) -> None:
    with followed(quiet=False) as counts:
        assert isinstance(counts, Progress)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("quiet", "environment"),
    [(True, {}), (False, {"CI": "true"}), (False, {"TERM": "dumb"})],
)
def test_who_does_not_look_is_told_nothing(
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    quiet: bool,
    environment: dict[str, str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with followed(quiet) as counts:
        assert counts is None


def test_nothing_is_said_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=io.StringIO()))
    monkeypatch.delenv("CI", raising=False)
    with followed(quiet=False) as counts:
        assert counts is None


def test_the_line_fits_and_what_was_longer_is_blanked(terminal: Terminal) -> None:
    shown = Followed(terminal)
    shown._write("x" * 200)
    shown._write("short")
    first, second = terminal.getvalue().removeprefix("\r").split("\r")
    assert len(first) == len(second) == 79
    assert second.rstrip() == "short"


def _all_of(terminal: int) -> str:
    """What is written to a terminal until nobody can write there any more."""
    said = b""
    while True:
        try:
            said += (part := os.read(terminal, 4096))
        except OSError:
            return said.decode()
        if not part:
            return said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind")
def test_a_check_counts_what_it_reads(tmp_path: Path) -> None:
    import pty

    (tmp_path / "a.py").write_text("from torch.utils.data import DataLoader\nDataLoader(x)\n")
    code = (
        "import dlint.cli.progress as p; p.AFTER = 0.0; p._EVERY = 0.005; "
        "from dlint.cli.main import entry; entry()"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("CI", None)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_all_of, ours)
        done = subprocess.run(
            [sys.executable, "-c", code, "check", "--no-cache", "a.py"],
            stdout=subprocess.PIPE,
            stderr=theirs,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        os.close(theirs)
        said = reading.result()
    os.close(ours)
    assert b"read," not in done.stdout
    assert "1 file read, 0 programs analysed" in said
    assert said.endswith("\r")
