"""What most likely ended a run that failed, and what helps."""

from __future__ import annotations

import re
import signal

from dlint.verify.run.runner import Run

_CAUSES = (
    (
        r"unrecognized arguments|arguments are required|usage: ",
        "the script wants other arguments; they come behind `--`",
    ),
    (
        r"No module named '(?P<name>[\w.]+)'",
        "`{name}` is not installed for the Python that ran it; `--python PATH` names another",
    ),
    (
        r"no NVIDIA driver|compiled with CUDA enabled|No CUDA GPUs|CUDA is not available",
        "it needs a GPU, and torch finds none here",
    ),
    (r"out of memory|OutOfMemoryError|MemoryError|Cannot allocate memory", "the memory is used up"),
    (r"No space left on device", "the disk, or /dev/shm, is full"),
    (
        r"Read-only file system|Value too large for defined data type|keeps it from being changed",
        "it writes where the view of the disk refuses it; `--in-place` lets it write",
    ),
    (
        r"EOFError: EOF when reading a line",
        "it reads from the terminal, where nobody answers: give it what it asks for as arguments",
    ),
    (r"Address already in use", "another program holds the port that it wants"),
    (
        r"Name or service not known|failure in name resolution|ConnectionError|URLError",
        "it wants the network, which does not answer",
    ),
    (
        r"No such file or directory: ['\"]?(?P<name>[^'\"\n]+)",
        "there is no `{name}`: paths count from this folder, and arguments come behind `--`",
    ),
)
"""The first that fits counts: what is certain stands before what is common."""


def likely_cause(run: Run) -> str | None:
    """The likely cause of a failure; None where its last lines tell no more than themselves."""
    for pattern, cause in _CAUSES:
        found = re.search(pattern, run.stderr)
        if found is not None:
            return cause.format(**found.groupdict())
    if run.code is not None and run.code < 0:
        return _ended_by(-run.code)
    return None


_KILL = 9


def _ended_by(number: int) -> str:
    if number == _KILL:
        return "the system ended it at once, as it does where memory is used up"
    try:
        return f"it was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"it was ended by signal {number}"
