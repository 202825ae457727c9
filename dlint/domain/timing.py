"""Programs that time their own copies: comparing settings is what they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.index.model import Scope

if TYPE_CHECKING:
    from dlint.domain.loaders import Loader
    from dlint.domain.transfers import Transfer

_CLOCKS = frozenset(
    {"perf_counter", "time", "monotonic", "elapsed_time", "timeit", "blocked_autorange"}
)


def compares_copies(transfer: Transfer) -> bool:
    """Whether the function times a blocking and an asynchronous copy of the same batches."""
    if not _keeps_time(transfer.call.scope):
        return False
    loaders = {batch.loader for batch in transfer.batches}
    return any(
        other.call.scope is transfer.call.scope
        and other.is_blocking != transfer.is_blocking
        and loaders & {batch.loader for batch in other.batches}
        for other in transfer.program.loaders.transfers
    )


def compares_pinning(loader: Loader) -> bool:
    """Whether another loader of the same data, pinned, is timed beside this one."""
    loops = {loop.scope for loop in loader.loops}
    if not any(_keeps_time(scope) for scope in (*loops, loader.call.scope)):
        return False
    return any(
        other.is_pinned
        and other.call.scope is loader.call.scope
        and other.values("dataset") == loader.values("dataset")
        for group in loader.program.loaders.by_call().values()
        for other in group
    )


def _keeps_time(scope: Scope) -> bool:
    return any(call.name in _CLOCKS for call in scope.calls)
