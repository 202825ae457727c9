"""Settings of loaders that take the place of those of the program."""

from __future__ import annotations

import os
import sys
from typing import Any

from .state import is_own, stack

THREADS = "worker_threads"
"""No argument of a loader: the threads that torch and OpenCV have in each of its workers."""

_OF_WORKERS = ("prefetch_factor", "persistent_workers", "multiprocessing_context")
"""Arguments that torch refuses where there are no workers."""


def is_meant(place: list[Any] | None) -> bool:
    """Whether the loader that is being made is the one of a place; without one, each is."""
    if place is None:
        return True
    return next((list(frame) for frame in stack() if is_own(frame[0])), None) == place


def overridden(
    original: Any, made: Any, args: Any, named: Any, settings: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The arguments of a loader with some set in place of its own; those about workers only where
    it has some."""
    from inspect import signature

    given = signature(original).bind_partial(made, *args, **named).arguments
    own = dict(list(given.items())[1:])
    rest = own.pop("args", ())
    arguments = {name: value for name, value in settings.items() if name != THREADS}
    found = {**own, **own.pop("kwargs", {}), **arguments}
    if THREADS in settings and found.get("num_workers"):
        found["worker_init_fn"] = Limited(settings[THREADS], found.get("worker_init_fn"))
    if not found.get("num_workers"):
        for name in _OF_WORKERS:
            if name in settings or "num_workers" in settings:
                found.pop(name, None)
    return rest, found


class Limited:
    """What a worker begins with: what the program says, then so many threads for each library."""

    def __init__(self, count: int, own: Any = None) -> None:
        self.count, self.own = count, own

    def __call__(self, worker: int) -> None:
        """In a worker, which torch has given its number."""
        if self.own is not None:
            self.own(worker)
        import torch

        torch.set_num_threads(self.count)
        os.environ["OPENCV_FOR_THREADS_NUM"] = str(self.count)  # where it is imported later
        opencv = sys.modules.get("cv2")
        if opencv is not None:
            opencv.setNumThreads(self.count)
