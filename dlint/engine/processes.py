"""Work done by several processes beside each other, where they can be forked."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

_works: list[Callable[[int], Any]] = []
"""The work at hand, which a forked process finds as it was."""


def available() -> int:
    """The CPUs that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether a process can be forked here: on macOS libraries of the system may not bear it."""
    return sys.platform == "linux"


def side_by_side(work: Callable[[int], T], count: int, jobs: int) -> Iterator[T | None]:
    """The results of `work(0)`, `work(1)` …, in this order, of at most `jobs` processes at a time.

    None for a piece whose process ended before it had a result, or which raised something. Where
    this process is killed, so are they.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    _works.append(work)
    pipe = os.pipe()
    try:
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(min(jobs, count), fork, _begin, pipe) as pool:
            for future in [pool.submit(_piece, number) for number in range(count)]:
                yield None if future.exception() is not None else future.result()
    finally:
        for end in pipe:
            os.close(end)
        _works.pop()


def _begin(life: int, kept_open: int) -> None:
    """Let a process end at Ctrl-C, and with the one that has forked it.

    That one alone keeps the pipe of the two open: it reads as ended once nobody does.
    """
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.close(kept_open)

    def end_with_parent() -> None:
        os.read(life, 1)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _piece(number: int) -> Any:
    return _works[-1](number)
