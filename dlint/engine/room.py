"""Room on the stack: the main thread of Windows has a fraction of what others have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_BYTES = 128 << 20
_MOMENT = 0.2
"""Seconds in which an interrupt is noticed."""


@contextmanager
def roomy() -> Iterator[None]:
    """Threads that are begun meanwhile have room for deep work."""
    import threading

    before = threading.stack_size(_BYTES)
    try:
        yield
    finally:
        threading.stack_size(before)


def with_room(work: Callable[[], T]) -> T:
    """The result of some deep work, done in a thread with more room where that is needed."""
    if sys.platform != "win32":
        return work()
    import threading
    from concurrent.futures import Future

    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    with roomy():
        threading.Thread(target=run, daemon=True).start()
    while True:
        try:
            return done.result(_MOMENT)
        except TimeoutError:
            if done.done():
                raise
