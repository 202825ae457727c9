"""How loaders start their workers, and what each way means (torch 2.13.0, Python 3.11 to 3.14)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StartMethod(StrEnum):
    """How a worker process comes into being."""

    FORK = "fork"
    FORKSERVER = "forkserver"
    SPAWN = "spawn"


class Launch(StrEnum):
    """Whether the process that iterates was itself started by `torch.multiprocessing.spawn`."""

    NEVER = "never"
    SOMETIMES = "sometimes"
    ALWAYS = "always"


FRESH = frozenset({StartMethod.FORKSERVER, StartMethod.SPAWN})
"""Workers that begin as a new interpreter: module globals set by a function are not there, and
what they need is pickled."""

SETTERS = frozenset({"multiprocessing.set_start_method", "torch.multiprocessing.set_start_method"})
"""Calls that choose the method for the whole program."""

CONTEXTS = frozenset({"multiprocessing.get_context", "torch.multiprocessing.get_context"})
"""Calls that make an object whose processes start by one method."""

ASKERS = frozenset({"multiprocessing.get_start_method", "torch.multiprocessing.get_start_method"})
"""Calls that say which method is set."""

FIXING = ASKERS | frozenset(
    f"{module}.{name}"
    for module in ("multiprocessing", "torch.multiprocessing")
    for name in (
        *("Array", "Barrier", "BoundedSemaphore", "Condition", "Event", "JoinableQueue", "Lock"),
        *("Manager", "Pool", "Queue", "RLock", "Semaphore", "SimpleQueue", "Value"),
    )
)
"""Calls that ask for the default context: it is set from then on (multiprocessing/context.py)."""

LAUNCHERS = frozenset(
    {
        "torch.multiprocessing.spawn",
        "torch.multiprocessing.spawn.spawn",
        "torch.multiprocessing.start_processes",
    }
)
"""Calls that run a function in processes whose own default method is `spawn`."""

FORKSERVER_SINCE = (3, 14)
"""The Python version from which `forkserver` is the default on Linux."""

TORCH_FOR_FORKSERVER = (2, 9)
"""The first torch with wheels for such a Python on PyPI."""

SPAWNING_PLATFORMS = ("macOS", "Windows")
"""Where `spawn` is the default; on Linux the Python version decides."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a program says about its start method.

    `context` is what `multiprocessing_context=` may be, None where it is not given; `chosen` is
    what `set_start_method` may be given, `always` says that it certainly runs; `oldest` and
    `newest` are the Python versions that the project admits, None where it does not say.
    """

    context: frozenset[StartMethod] | None = None
    chosen: frozenset[StartMethod] = frozenset()
    always: bool = False
    launch: Launch = Launch.NEVER
    oldest: tuple[int, int] | None = None
    newest: tuple[int, int] | None = None


def methods(circumstances: Circumstances) -> frozenset[StartMethod]:
    """The methods that workers may be started by on Linux; `fork` where nothing speaks of it."""
    given = circumstances
    if given.context is not None:
        return given.context
    if given.chosen and given.always:
        return given.chosen
    if given.launch is Launch.ALWAYS:
        return given.chosen | {StartMethod.SPAWN}
    found = given.chosen | _defaults(given)
    return found | {StartMethod.SPAWN} if given.launch is Launch.SOMETIMES else found


def _defaults(given: Circumstances) -> frozenset[StartMethod]:
    if given.oldest is not None and given.oldest >= FORKSERVER_SINCE:
        return frozenset({StartMethod.FORKSERVER})
    admits = given.oldest is not None and (given.newest is None or given.newest >= FORKSERVER_SINCE)
    return frozenset({StartMethod.FORK, StartMethod.FORKSERVER} if admits else {StartMethod.FORK})
