"""Work done by several processes beside each other, where they can be forked."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
Running = dict["Connection", "ForkProcess"]
"""Processes that may still tell something, by where they do."""

_YIELDED = 10
"""By how much a process that does what may be of use yields to those that do what must be done."""
_HELD = 1 << 20
"""Bytes that such a process may be ahead of who takes what it tells."""
_MANY = 500_000
"""Objects, of some hundred bytes each."""
_TURNS = 10_000
"""Turns of four bytes that a pipe of Linux holds at once."""


def available() -> int:
    """The CPUs that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether a process can be forked here: on macOS libraries of the system may not bear it."""
    return sys.platform == "linux"


def side_by_side(
    work: Callable[[int], T],
    count: int,
    jobs: int,
    meanwhile: Callable[[], object] = lambda: None,
) -> Generator[T | None, None, None]:
    """The results of `work(0)`, `work(1)` …, in this order, of at most `jobs` processes at a time.

    None for a piece whose process ended before it had a result, or which raised something. Where
    this process is killed, so are they; a process for which nothing is left ends, and its memory is
    free. `meanwhile` is done here while the others work.
    """
    from multiprocessing import get_context

    fork = get_context("fork")
    pipe, turns, running = os.pipe(), _turns(min(count, _TURNS)), Running()
    try:
        for _ in range(min(jobs, count)):
            told, telling = fork.Pipe(duplex=False)
            given = work, count, turns, telling, *pipe
            process = fork.Process(target=_run, args=given, daemon=True)
            process.start()
            telling.close()  # it reads as ended once the process does
            running[told] = process
        meanwhile()
        yield from _in_order(running, count)
    finally:
        for process in running.values():
            process.kill()
            process.join()
        for end in (*pipe, turns):
            os.close(end)


def collect_many() -> None:
    """Collect what was let go, where it is much: indexes know their own parts, which know them.

    To look for it takes as long as some ten of them.
    """
    import gc

    from dlint.workspace import memory

    if gc.get_count()[0] > _MANY:
        gc.collect()
        memory.give_back()


@contextmanager
def beside(work: Callable[[Connection], object]) -> Iterator[Connection]:
    """A process that does `work`, given where it tells what, as long as nobody ends the block.

    What it tells may be read in a process that is forked within the block.
    """
    from multiprocessing import get_context

    fork, pipe = get_context("fork"), os.pipe()
    told, telling = fork.Pipe(duplex=False)
    process = fork.Process(target=_accompany, args=(work, telling, *pipe), daemon=True)
    process.start()
    telling.close()  # what it tells reads as ended once the process does
    try:
        yield told
    finally:
        process.kill()
        process.join()
        told.close()
        for end in pipe:
            os.close(end)


def _accompany(
    work: Callable[[Connection], object], telling: Connection, life: int, kept_open: int
) -> None:
    """Do work that may be of use, as long as others have nothing to do."""
    import fcntl

    _begin(life, kept_open)
    with suppress(BaseException):
        os.nice(_YIELDED)
        with suppress(OSError):
            fcntl.fcntl(telling.fileno(), fcntl.F_SETPIPE_SZ, _HELD)
        work(telling)
    os._exit(0)


def _turns(count: int) -> int:
    """A pipe from which each process that is free takes the number of what it does next."""
    turns, filled = os.pipe()
    os.write(filled, b"".join(number.to_bytes(4, "little") for number in range(count)))
    os.close(filled)
    return turns


def _in_order(running: Running, count: int) -> Iterator[Any]:
    """The results, each as soon as it is there; None where all that could tell it have ended."""
    from multiprocessing.connection import wait

    results: dict[int, Any] = {}
    for number in range(count):
        while running and number not in results:
            ready = wait([*running])
            for told in [told for told in running if told in ready]:
                try:
                    results |= told.recv()
                except (EOFError, OSError):
                    running.pop(told).join()
        yield results.pop(number, None)


def _run(
    work: Callable[[int], object],
    count: int,
    turns: int,
    telling: Connection,
    life: int,
    kept_open: int,
) -> None:
    """Do a piece after another, as long as there is one."""
    _begin(life, kept_open)
    while turn := os.read(turns, 4):
        for number in range(int.from_bytes(turn, "little"), count, _TURNS):
            with suppress(BaseException):  # what the parser panics with is no Exception
                telling.send({number: work(number)})
    os._exit(0)  # what ends a program is of no concern here


def _begin(life: int, kept_open: int) -> None:
    """Let a process end at Ctrl-C, and with the one that has forked it.

    That one alone keeps the pipe of the two open: it reads as ended once nobody does.
    """
    import gc
    import signal
    import threading

    gc.freeze()  # what was there before is no garbage of this process
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.close(kept_open)

    def end_with_parent() -> None:
        os.read(life, 1)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
