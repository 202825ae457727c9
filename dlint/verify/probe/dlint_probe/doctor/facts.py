"""What a process is like: its threads, its open files, its loaders."""

# ruff: noqa: PTH208
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Any

from .. import accelerator
from ..state import Loader

_LIBRARIES = ("torch", "multiprocessing", "tqdm", "dlint_probe")
"""Packages whose threads know of forks."""


def ready(iterator: Any) -> int:
    """How many batches can be taken without waiting; -1 where there are no workers."""
    queue = getattr(iterator, "_data_queue", None)
    if queue is None:
        return -1
    with suppress(NotImplementedError, AttributeError, TypeError):  # macOS, iterators of others
        early = sum(len(info) == 2 for info in iterator._task_info.values())
        return early + int(queue.qsize())
    return -1


def of_process(loader: Loader) -> dict[str, Any]:
    """The process while it trains."""
    torch: Any = sys.modules["torch"]
    found: dict[str, Any] = {
        "threads": torch.get_num_threads(),
        "omp": os.environ.get("OMP_NUM_THREADS"),
        "open_files": None,
        "most_open_files": None,
        "sharing": torch.multiprocessing.get_sharing_strategy(),
        "processor_seconds": sum(os.times()[:2]),
        "pinned": _pinned(torch),
    }
    with suppress(OSError):
        found["open_files"] = len(os.listdir("/proc/self/fd"))
    with suppress(ImportError):
        import resource

        found["most_open_files"] = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return found


def _pinned(torch: Any) -> int | None:
    """The most bytes of memory that torch had pinned, as its allocator counts them; None where no
    device is in use, or it does not say."""
    device = accelerator.in_use()
    with suppress(Exception):
        asked = None if device is None else getattr(device.module, "host_memory_stats", None)
        return None if asked is None else int(asked()["allocated_bytes.peak"])
    return None


def of_loader(loader: Loader) -> dict[str, Any]:
    """What is told of a loader beside its record."""
    made = loader.made()
    found: dict[str, Any] = {"samples": None, "dataset_length": None, "iterable": None}
    if made is not None:
        found["samples"] = _length(getattr(made, "sampler", None))
        found["dataset_length"] = _length(loader.dataset())
        found["iterable"] = bool(getattr(made, "_dataset_kind", 0))
    return found


def _length(thing: Any) -> int | None:
    try:
        return len(thing)
    except Exception:
        return None


def at_start(loader: Loader) -> dict[str, Any]:
    """The process when the workers of a loader are about to start."""
    return {
        "method": loader.facts.get("start_method"),
        "threads": sorted(filter(None, map(_named, threading.enumerate()))),
        "cuda": accelerator.in_use() is not None,
        "opencv": _opencv(),
    }


def _opencv() -> int | None:
    """How many threads OpenCV works with here; None where it is not loaded."""
    opencv = sys.modules.get("cv2")
    with suppress(Exception):
        return None if opencv is None else int(opencv.getNumThreads())
    return None


def _named(thread: threading.Thread) -> str | None:
    """The name of a thread that the program started itself; None for others."""
    if thread is threading.main_thread() or thread is threading.current_thread():
        return None
    target: Any = getattr(thread, "_target", None) or type(thread).run
    module = str(getattr(target, "__module__", None) or "")
    if module.partition(".")[0] in _LIBRARIES:
        return None
    return thread.name
