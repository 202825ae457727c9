"""What runs a function of a program in a thread or a process of its own.

Read in CPython 3.11 (threading, multiprocessing, concurrent.futures), torch 2.13.0
(torch/multiprocessing/spawn.py), accelerate 1.10 (launchers.py), tqdm 4.67
(contrib/concurrent.py) and torch_xla 2.8 (distributed/xla_multiprocessing.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EdgeKind(StrEnum):
    """Where a function runs, as seen from the call that runs it."""

    CALL = "call"
    THREAD = "thread"
    PROCESS = "process"


@dataclass(frozen=True, slots=True)
class Starter:
    """A callable that starts what it is given: where that runs, and by which parameter it is given.

    `parameters` are those that can be given by position, as far as they matter; `numbers`: what is
    started is called with the number of its process first.
    """

    kind: EdgeKind
    function: str
    parameters: tuple[str, ...]
    numbers: bool = False


def _each(starter: Starter, *paths: str) -> dict[str, Starter]:
    return dict.fromkeys(paths, starter)


def _methods(kind: EdgeKind, classes: tuple[str, ...]) -> dict[str, Starter]:
    """The methods of pools by which a worker calls a function."""
    over = ("func", "iterable", "chunksize")
    once = ("func", "args", "kwds")
    given = {
        **dict.fromkeys(("map", "imap", "imap_unordered", "starmap"), over),
        **dict.fromkeys(("map_async", "starmap_async"), over),
        "apply": once,
        "apply_async": (*once, "callback"),
    }
    return {
        f"{cls}().{method}": Starter(kind, "func", parameters)
        for cls in classes
        for method, parameters in given.items()
    }


def _executors(kind: EdgeKind, classes: tuple[str, ...]) -> dict[str, Starter]:
    return {
        f"{cls}().{method}": Starter(kind, "fn", ("fn",))
        for cls in classes
        for method in ("submit", "map")
    }


def _initializers(kind: EdgeKind, parameters: tuple[str, ...], *paths: str) -> dict[str, Starter]:
    return _each(Starter(kind, "initializer", parameters), *paths)


_TARGET = ("group", "target", "name", "args", "kwargs")
_SPAWN = ("fn", "args", "nprocs", "join", "daemon", "start_method")
_LAUNCH = ("fn", "args", "start_method", "debug_single_process")
_POOL = ("processes", "initializer", "initargs", "maxtasksperchild")

THREADS = ("threading.Thread",)
"""Classes whose `start` runs their method `run` in a thread."""

PROCESSES = (
    "multiprocessing.Process",
    "multiprocessing.context.Process",
    "multiprocessing.process.Process",
    "torch.multiprocessing.Process",
)
"""Classes whose `start` runs their method `run` in a process."""

_THREAD_POOLS = ("multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool")
_PROCESS_POOLS = ("multiprocessing.Pool", "multiprocessing.pool.Pool", "torch.multiprocessing.Pool")
_THREAD_EXECUTORS = (
    "concurrent.futures.ThreadPoolExecutor",
    "concurrent.futures.thread.ThreadPoolExecutor",
)
_PROCESS_EXECUTORS = (
    "concurrent.futures.ProcessPoolExecutor",
    "concurrent.futures.process.ProcessPoolExecutor",
)

STARTERS: dict[str, Starter] = {
    **_each(Starter(EdgeKind.THREAD, "target", _TARGET), *THREADS),
    **_each(Starter(EdgeKind.PROCESS, "target", _TARGET), *PROCESSES),
    "threading.Timer": Starter(EdgeKind.THREAD, "function", ("interval", "function")),
    "_thread.start_new_thread": Starter(EdgeKind.THREAD, "function", ("function", "args")),
    "asyncio.to_thread": Starter(EdgeKind.THREAD, "func", ("func",)),
    **_each(
        Starter(EdgeKind.PROCESS, "fn", _SPAWN, numbers=True),
        "torch.multiprocessing.spawn",
        "torch.multiprocessing.spawn.spawn",
        "torch.multiprocessing.start_processes",
        "torch.multiprocessing.spawn.start_processes",
        "torch_xla.distributed.xla_multiprocessing.spawn",
    ),
    **_each(
        Starter(EdgeKind.PROCESS, "fn", _LAUNCH, numbers=True),
        "torch_xla.launch",
        "torch_xla.torch_xla.launch",
    ),
    **_each(
        Starter(EdgeKind.PROCESS, "function", ("function", "args", "num_processes")),
        "accelerate.notebook_launcher",
        "accelerate.launchers.notebook_launcher",
        "accelerate.debug_launcher",
        "accelerate.launchers.debug_launcher",
    ),
    "tqdm.contrib.concurrent.thread_map": Starter(EdgeKind.THREAD, "fn", ("fn",)),
    "tqdm.contrib.concurrent.process_map": Starter(EdgeKind.PROCESS, "fn", ("fn",)),
    **_methods(EdgeKind.THREAD, _THREAD_POOLS),
    **_methods(EdgeKind.PROCESS, _PROCESS_POOLS),
    **_executors(EdgeKind.THREAD, _THREAD_EXECUTORS),
    **_executors(EdgeKind.PROCESS, _PROCESS_EXECUTORS),
    **_initializers(EdgeKind.THREAD, _POOL[:3], *_THREAD_POOLS),
    **_initializers(EdgeKind.PROCESS, _POOL, *_PROCESS_POOLS),
    **_initializers(
        EdgeKind.THREAD, ("max_workers", "thread_name_prefix", "initializer"), *_THREAD_EXECUTORS
    ),
    **_initializers(
        EdgeKind.PROCESS, ("max_workers", "mp_context", "initializer"), *_PROCESS_EXECUTORS
    ),
}
"""Callables that start a function which they are given, now or at `start`, by their paths."""

OWN_STARTERS = frozenset(
    path
    for path, starter in STARTERS.items()
    if starter.kind is EdgeKind.PROCESS
    and path.startswith(("multiprocessing.", "torch.multiprocessing.", "concurrent.futures."))
)
"""Those that always start processes of `multiprocessing`."""

NAMES = frozenset(path.rpartition(".")[2] for path in STARTERS)
