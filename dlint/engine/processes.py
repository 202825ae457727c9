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

    None for a piece whose process ended before it had a result, or which raised something.
    """
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor

    _works.append(work)
    try:
        with ProcessPoolExecutor(
            min(jobs, count),
            multiprocessing.get_context("fork"),
            signal.signal,
            (signal.SIGINT, signal.SIG_DFL),
        ) as pool:
            for future in [pool.submit(_piece, number) for number in range(count)]:
                yield None if future.exception() is not None else future.result()
    finally:
        _works.pop()


def _piece(number: int) -> Any:
    return _works[-1](number)
