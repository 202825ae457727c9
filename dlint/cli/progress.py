"""What a check is doing, on a terminal, from its second second on; erased when it is done."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TextIO

from dlint.engine.request import Progress

AFTER = 1.0
"""Seconds that a run says nothing."""
_EVERY = 0.25
_USUAL = 80
_LEAST = 20
"""Columns, below which there is no room to say anything."""


def followed(quiet: bool) -> AbstractContextManager[Progress | None]:
    """Counts for an analysis, shown meanwhile where somebody looks at standard error.

    In pipes, with `--quiet` and in CI nothing is, nor on terminals that cannot go back in a line.
    """
    stream = sys.stderr
    mute = quiet or not stream.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("CI")
    return nullcontext() if mute else Followed(stream)


class Followed:
    """Writes a line again and again, beside the analysis, while that runs."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._begun = clock()
        self._shown = 0
        self.progress = Progress()

    def __enter__(self) -> Progress:
        from threading import Event, Thread

        self._is_done = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        return self.progress

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        self._thread.join()
        self._write("")

    def _run(self) -> None:
        wait = AFTER
        while not self._is_done.wait(wait):
            wait = _EVERY
            self._write(self.line())

    def line(self) -> str:
        """What is said now."""
        from dlint.findings.words import counted

        counts, spent = self.progress, self._clock() - self._begun
        programs = counted(counts.programs, "program")
        return f"{counted(counts.modules, 'file')} read, {programs} analysed, {spent:.0f} s"

    def _write(self, text: str) -> None:
        """Replace what is shown."""
        width = _columns(self._stream)
        text = text[: width - 1] if width > _LEAST else ""
        if text or self._shown:
            blanks = " " * (self._shown - len(text))
            self._put(f"\r{text}{blanks}" + ("" if text else "\r"))
        self._shown = len(text)

    def _put(self, text: str) -> None:
        """Write without the lock of the stream, which a process that is forked would take along."""
        try:
            os.write(self._stream.fileno(), text.encode("ascii"))
        except (OSError, ValueError):  # it is no file
            self._stream.write(text)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):
        return _USUAL
