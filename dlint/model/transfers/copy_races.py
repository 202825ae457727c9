"""Copies to the GPU that may still run when their memory is used otherwise.

Question: which pinned buffers are made before a loop, copied in it without waiting, and written to
again by the next round? And which batches are copied in a stream of their own, so that the default
stream may read them too early, or their memory be given away too early? Silent where something of
the loop, or of the module, waits for the copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere, is_call_to, library_callees
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.control.order import is_inside
from dlint.analyses.control.path_tests import call_always_runs
from dlint.analyses.value_parts import origin_over_calls, table_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Scope, Statement, With
from dlint.library_facts import tensors
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in, names_any
from dlint.model.loops.phases import loops_of
from dlint.model.transfers import transfers
from dlint.semantics.values.values import TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer

_WAITS = tensors.WAITS | {"wait_stream", "wait_event", "record_event", "record"}

_STOPPING = frozenset({"synchronize", "item", "tolist"})
"""Calls for which the host waits until the GPU has done all that was asked of it."""


class Overwrite(NamedTuple):
    """A pinned buffer that a loop fills again while the copy of its last content may run."""

    copy: Place
    write: Place
    allocation: Place


class SideCopy(NamedTuple):
    """Copies of batches in a stream of their own."""

    stream: Place
    """Where the stream is made the current one."""
    transfer: Transfer
    is_waited_for: bool
    """Whether some stream waits for another in this module; else nobody waits for the copies."""


def overwrites(context: AnalysisContext) -> Iterator[Overwrite]:
    """Pinned buffers that are made before a loop, and filled and copied inside it."""
    for call in calls_anywhere(context, "cuda", "to"):
        loop = next(walk.enclosing_loops(call.statement), None)
        buffer = _buffer(call)
        if loop is None or buffer is None or not _is_asynchronous(context, call):
            continue
        allocation = _pinned(context, buffer, call.scope)
        if allocation is None or is_inside(allocation.statement, loop):
            continue
        write = _write(buffer, loop.body, call.scope)
        waits = any(c.name in _WAITS for c in calls_in(loop.body))
        if write is not None and not waits:
            place = Place(call.scope.module.path, *write.span)
            yield Overwrite(context.place_of(call), place, context.place_of(allocation))


def _buffer(call: ex.Call) -> ex.Reference | None:
    """The name that a copy, or a copy of a part of it, begins with."""
    source = table_of(call.function.value) if isinstance(call.function, ex.Attribute) else None
    return source if isinstance(source, ex.Reference) and source.definition is not None else None


def _is_asynchronous(context: AnalysisContext, call: ex.Call) -> bool:
    flag = transfers.of_to(call)[1] if call.name == "to" else transfers.of_cuda(call)[1]
    return flag is not None and context.values(flag, call.scope) == {TRUE}


def _pinned(context: AnalysisContext, buffer: ex.Reference, scope: Scope) -> ex.Call | None:
    """`torch.empty(…, pin_memory=True)` or `torch.empty(…).pin_memory()`."""
    made, _ = origin_over_calls(context, buffer, context.solver.root(scope))
    if not isinstance(made, ex.Call):
        return None
    if made.name == "pin_memory" and isinstance(made.function, ex.Attribute):
        inner = made.function.value
        return made if isinstance(inner, ex.Call) and _is_torch(context, inner) else None
    flag = ex.constant(written(made, None, "pin_memory"))
    is_on = flag is not None and flag.value is True
    return made if is_on and _is_torch(context, made) else None


def _is_torch(context: AnalysisContext, call: ex.Call) -> bool:
    return any(path.startswith("torch.") for path in library_callees(context, call))


def _write(buffer: ex.Reference, body: Block, scope: Scope) -> ex.Call | Statement | None:
    """What writes to a buffer in a loop: `buffer.copy_(x)`, `buffer[…] = x`."""
    for call in calls_in(body):
        if call.name is not None and call.name.endswith("_") and not call.name.endswith("__"):
            target = _buffer(call)
            if target is not None and target.definition is buffer.definition:
                return call
    inside = set(walk.statements(body))
    for store in scope.stores:
        held = store.target.value if isinstance(store.target, ex.Subscript) else None
        is_buffer = isinstance(held, ex.Reference) and held.definition is buffer.definition
        if is_buffer and store.statement in inside:
            return store.statement
    return None


def side_copies(context: AnalysisContext) -> Iterator[SideCopy]:
    """Batches that are copied in a side stream, and whose memory nobody guards."""
    seen: set[ex.Call] = set()
    for transfer in context[Loaders].transfers:
        stream = _stream(context, transfer.call.statement, transfer.call.scope)
        if stream is None or stream in seen or not transfer.never_blocks:
            continue
        if _is_handed_out_inside(transfer.call.statement, stream):
            continue
        seen.add(stream)
        calls = [c for scope in transfer.call.scope.module.scopes for c in scope.calls]
        waited = any(c.name in ("wait_stream", "wait_event", "wait") for c in calls)
        if any(_guards(call, stream) for call in calls):
            continue
        if not (waited and _is_settled(context, transfer)):
            yield SideCopy(context.place_of(stream), transfer, waited)


def _is_settled(context: AnalysisContext, transfer: Transfer) -> bool:
    """Whether every loop that trains on the batches waits for the GPU in each step."""
    loops = [x for batch in transfer.batches for x in loops_of(context, batch.loader) if x.trains]
    return bool(loops) and all(x.body and _waits_always(context, x.body) for x in loops)


def _waits_always(context: AnalysisContext, body: Block) -> bool:
    """Whether a body reads something from the GPU, or waits for it, whatever its tests say."""
    for call in calls_in(body):
        below = calls_below(context, (call,), 1)
        if call_always_runs(call, body) and names_any(below, _STOPPING):
            return True
    return False


_STREAMS = frozenset({"torch.cuda.stream", "torch.xpu.stream", "torch.mtia.stream"})


def _stream(context: AnalysisContext, statement: Statement, scope: Scope) -> ex.Call | None:
    """The `torch.cuda.stream(…)` around a statement, of a stream that is not the current one."""
    for outer in walk.ancestors(statement):
        for item in outer.items if isinstance(outer, With) else ():
            if isinstance(item, ex.Call) and is_call_to(context, item, _STREAMS):
                given = written(item, 0, "stream")
                own = not isinstance(given, ex.Call) or given.name == "Stream"
                return item if given is not None and own else None
    return None


def _is_handed_out_inside(statement: Statement, stream: ex.Call) -> bool:
    """Whether a generator yields inside the `with`: who takes the batch then runs there too."""
    for outer in walk.ancestors(statement):
        if isinstance(outer, With) and stream in outer.items:
            parts = (e for s in walk.statements(outer.body) for e in walk.expressions(s))
            return any(isinstance(p, ex.Yield) for e in parts for p in walk.walk(e))
    return False


def _guards(call: ex.Call, stream: ex.Call) -> bool:
    """Whether a call keeps the memory of the copies, or makes the side stream wait itself."""
    if call.name in ("record_stream", "synchronize"):
        return True
    waits = call.name in ("wait_stream", "wait_event")
    waiting = call.function.value if isinstance(call.function, ex.Attribute) else None
    name = ex.dotted(waiting) if waits else None
    return name is not None and name == ex.dotted(written(stream, 0, "stream"))
