"""Programs that time their own copies: comparing settings is what they are for."""

from __future__ import annotations

from itertools import dropwhile, islice
from typing import TYPE_CHECKING

from dlint.index import expressions as ex
from dlint.index import walk
from dlint.index.model import Evaluate, Loop, Scope

if TYPE_CHECKING:
    from dlint.domain.loaders import Loader
    from dlint.domain.transfers import Transfer

_CLOCKS = frozenset(
    {"perf_counter", "time", "monotonic", "elapsed_time", "timeit", "blocked_autorange"}
)


def measures(transfer: Transfer) -> bool:
    """Whether the program waits for the copy at once, or compares it with another."""
    return _is_waited_for(transfer) or compares_copies(transfer)


def _is_waited_for(transfer: Transfer) -> bool:
    """Whether `synchronize()` comes next, behind other copies of the same statement list."""
    statement = transfer.call.statement
    copied = {other.call.statement for other in transfer.program.loaders.transfers}
    following = dropwhile(lambda s: s is not statement, statement.block.statements)
    for current in islice(following, 1, None):
        if current not in copied:
            value = current.value if isinstance(current, Evaluate) else None
            return isinstance(value, ex.Call) and value.name == "synchronize"
    return False


def compares_copies(transfer: Transfer) -> bool:
    """Whether the function times a blocking and an asynchronous copy of the same batches."""
    if not keeps_time(transfer.call.scope):
        return False
    loaders = {batch.loader for batch in transfer.batches}
    return any(
        other.call.scope is transfer.call.scope
        and _loop(other) is not _loop(transfer)
        and other.is_blocking != transfer.is_blocking
        and loaders & {batch.loader for batch in other.batches}
        for other in transfer.program.loaders.transfers
    )


def compares_pinning(loader: Loader) -> bool:
    """Whether another loader of the same data, pinned, is timed beside this one."""
    loops = {loop.scope for loop in loader.loops}
    if not any(keeps_time(scope) for scope in (*loops, loader.call.scope)):
        return False
    return any(
        other.is_pinned
        and other.call.scope is loader.call.scope
        and _data(other) is not None
        and _data(other) is _data(loader)
        for group in loader.program.loaders.by_call().values()
        for other in group
    )


def _loop(transfer: Transfer) -> Loop | None:
    return next(walk.enclosing_loops(transfer.call.statement), None)


def _data(loader: Loader) -> ex.Definition | None:
    """The definition behind the name that a loader is given as its dataset."""
    given = loader.call.arguments[0].value if loader.call.arguments else None
    return given.definition if isinstance(given, ex.Reference) else None


def keeps_time(scope: Scope) -> bool:
    """Whether a function reads a clock."""
    return any(call.name in _CLOCKS for call in scope.calls)
