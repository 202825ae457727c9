"""Where each training step waits for the GPU.

Question: which calls of a loop that trains on the GPU make the host wait at every step? Followed
are reads of the loss and its terms, here and in the functions that make them, reads of what is
computed of a batch, copies of tensors that are made on the CPU, and calls that wait by themselves.
Silent where the step has to wait anyway, as it decides by what it reads, or where time is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.call_paths import calls_below, entered_by
from dlint.analyses.control.path_tests import call_always_runs, is_optional, runs_whenever
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.model import transfers
from dlint.model.device_results import is_computed_there
from dlint.model.graph_retention import gradient_of, is_term, makers_of_losses
from dlint.model.loaders import Loaders
from dlint.model.loops import GRADIENT_STEPS, BatchLoop, batch_loops, calls_in, names_any
from dlint.model.step_decisions import decides_step
from dlint.model.timing import is_benchmark

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Block, Scope, Statement

_CHECKS = frozenset({"isfinite", "isnan", "isinf"})
"""Calls for which the host has to know the loss."""

_WAITS = frozenset({"synchronize", "barrier"})
"""Calls that wait for the GPU at every step anyway."""

_OF_ONE = frozenset({"detach", "mean", "sum"})
"""Methods of a loss that give its value, or one number for those of several devices."""

_EXPLICIT = {
    "torch.cuda.synchronize": "synchronize",
    "torch.accelerator.synchronize": "synchronize",
    "torch.cuda.empty_cache": "empty_cache",
    "torch.accelerator.empty_cache": "empty_cache",
}

_EXPLICIT_NAMES = frozenset(_EXPLICIT.values())

_CLOCKS = frozenset({"time", "perf_counter", "monotonic", "process_time", "elapsed_time", "record"})
"""Calls by which a loop measures time, for which it has to wait."""

_SHOWING = frozenset({"set_postfix", "set_postfix_str", "set_description", "set_description_str"})
"""Methods of tqdm's bars, which make a text of tensors too (tqdm 4.67, `std.py`)."""

_QUEUING = GRADIENT_STEPS | {"step"}
"""Calls that give the GPU more to do."""


class HostSync(NamedTuple):
    """One place where every step waits."""

    call: ex.Call
    loop: BatchLoop
    built: str = ""
    """The function that makes a tensor on the CPU, where it is its copy that waits."""
    asked: str = ""
    """The last name of the call of torch that waits, or makes the driver wait."""
    others: tuple[ex.Call, ...] = ()
    """Other reads in the same step."""
    of_loss: bool = True
    """Whether the loss is read, or a term of it; else what is computed of a batch."""

    @property
    def name(self) -> str | None:
        """The last name of what is called: `item`."""
        return self.call.name

    @property
    def place(self) -> Place:
        """Where the host waits."""
        return self.loop.context.place_of(self.call)

    @property
    def other_places(self) -> list[Place]:
        """Where the same step waits too."""
        return [self.loop.context.place_of(call) for call in self.others]


def host_syncs(context: AnalysisContext) -> Iterator[HostSync]:
    """Reads of the loss, and copies of new tensors, at every step of a loop on the GPU."""
    seen: set[ex.Call] = set()
    for loop in context[batch_loops]:
        body = loop.body
        if body is None or not loop.trains or not _runs_on_cuda(context, loop):
            continue
        calls = [call for call in calls_in(body) if call not in seen]
        seen.update(calls)
        steps = [call.statement for call in calls_in(body) if _takes_gradient(context, call)]
        steady = [call for call in calls if _is_in_each_step(call, steps)]
        waits = any(call.name in _WAITS for call in steady) or is_benchmark(loop.scope.module)
        if not waits and not any(call.name in _CHECKS for call in calls):
            yield from _reads(context, loop, steady, body)
        yield from _built(context, loop, steady)
        if not is_benchmark(loop.scope.module):
            yield from _asked(context, loop, steady)


def _takes_gradient(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call takes a gradient, itself or in the functions that it enters."""
    return names_any(calls_below(context, [call]), GRADIENT_STEPS)


def _entered(context: AnalysisContext, calls: list[ex.Call]) -> Iterator[ex.Call]:
    """Some calls, and those that the functions always make which they enter."""
    yield from calls
    scopes = entered_by(context, calls, inner=_always)
    yield from (call for scope in scopes for call in _always(scope))


def _always(scope: Scope) -> list[ex.Call]:
    return [call for call in scope.calls if call_always_runs(call, scope.body)]


def _asked(context: AnalysisContext, loop: BatchLoop, calls: list[ex.Call]) -> Iterator[HostSync]:
    """`torch.cuda.synchronize()` and `empty_cache()`, where no time is measured.

    Of several that a step makes, the last one is told: it waits for all that was asked for.
    """
    clocks = any(call.name in _CLOCKS for call in loop.scope.calls)
    found: dict[str, list[ex.Call]] = {}
    for call in _entered(context, calls):
        path = None
        if call.name in _EXPLICIT_NAMES:
            path = next((p for p in library_callees(context, call) if p in _EXPLICIT), None)
        name = "" if path is None else _EXPLICIT[path]
        if name and not (clocks and name == "synchronize"):
            found.setdefault(name, []).append(call)
    for name, (*others, last) in found.items():
        yield HostSync(last, loop, asked=name, others=tuple(others))


def _runs_on_cuda(context: AnalysisContext, loop: BatchLoop) -> bool:
    return any(context[Loaders].of(made).reaches_cuda for made in loop.loaders)


def _is_in_each_step(call: ex.Call, steps: list[Statement]) -> bool:
    """Whether each round that takes a gradient makes a call, whichever gradient that is."""
    return not is_optional(call) and all(runs_whenever(call.statement, step) for step in steps)


def _reads(
    context: AnalysisContext, loop: BatchLoop, calls: list[ex.Call], body: Block
) -> Iterator[HostSync]:
    """The first read waits; the others must go as well for a step not to wait."""
    named = [
        (call, next((r for r in _read(call) if _is_loss(context, r, body)), None)) for call in calls
    ]
    reads = [call for call, loss in named if loss is not None]
    before = list(_read_where_made(context, body))
    results = [call for call in calls if call not in reads and _reads_result(context, call)]
    if reads and not before and _has_waited(named, reads[0]):
        reads = []
    found = [*reads, *before]
    if decides_step(context, body, [*found, *results]):
        return
    if found or results:
        first, *others = [*found, *results]
        yield HostSync(first, loop, others=tuple(others), of_loss=bool(found))


def _is_loss(context: AnalysisContext, name: ex.Reference, body: Block) -> bool:
    """Whether a gradient is taken of what a name stands for, or was of what it is cut off from."""
    return gradient_of(context, name, body, detached=True) is not None


def _reads_result(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call reads what is computed of a batch on the GPU: `(labels == y).sum().item()`."""
    callee = call.function
    if not isinstance(callee, ex.Attribute) or call.name not in tensors.FETCHES - {"numpy"}:
        return False
    return not call.arguments and is_computed_there(context, callee.value)


def _read_where_made(context: AnalysisContext, body: Block) -> Iterator[ex.Call]:
    """The reads of a loss and its terms by the functions that make it, before its gradient."""
    for scope, loss in makers_of_losses(context, body):
        for call in scope.calls:
            is_read = any(is_term(loss, name) for name in _read(call))
            if is_read and call_always_runs(call, scope.body):
                yield call


def _has_waited(named: list[tuple[ex.Call, ex.Reference | None]], read: ex.Call) -> bool:
    """Whether the step has waited for other results behind the loss, and asked for no more."""
    loss = next((found for call, found in named if call is read), None)
    made = loss.definition.span[0] if loss is not None and loss.definition is not None else None
    if made is None:
        return False
    between = [call for call, _ in named if made < call.span[0] and call.span[1] < read.span[1]]
    behind = [i for i, call in enumerate(between) if _brings(call) and call is not read]
    return bool(behind) and not any(call.name in _QUEUING for call in between[behind[-1] :])


def _brings(call: ex.Call) -> bool:
    """Whether a method of a tensor waits for its values; `numpy` takes those of the host only."""
    is_method = isinstance(call.function, ex.Attribute) and not call.arguments
    return is_method and call.name in tensors.FETCHES - {"numpy"}


def _read(call: ex.Call) -> list[ex.Reference]:
    """The names whose values a call needs on the host."""
    if isinstance(call.function, ex.Attribute) and call.name in tensors.FETCHES:
        source = _tensor(call.function.value)
    elif isinstance(call.function, ex.Reference) and call.name == "float":
        given = written(call, 0) if len(call.arguments) == 1 else None
        source = None if given is None else _tensor(given)
    elif _shows(call):
        values = [argument.value for argument in call.arguments if not argument.star]
        return [shown for value in values for shown in _printed(_made(value))]
    else:
        source = None
    return [] if source is None else [source]


def _shows(call: ex.Call) -> bool:
    """Whether a call writes out the values that it is given: `print`, methods of progress bars."""
    if isinstance(call.function, ex.Reference):
        return call.name == "print"
    return isinstance(call.function, ex.Attribute) and call.name in _SHOWING


def _made(value: ex.Expression) -> ex.Expression:
    """The text, or the tensor without its graph, that a name was given right before."""
    made = origin_of(value)
    is_text = isinstance(made, ex.Format) or (isinstance(made, ex.Binary) and made.operator == "%")
    named = isinstance(made, ex.Call) and made.name in ("format", "detach")
    return made if is_text or named else value


def _printed(value: ex.Expression) -> Iterator[ex.Reference]:
    """The tensors whose values a text shows: `loss`, `f"{loss}"`, `"{}".format(loss)`."""
    match value:
        case ex.Format():
            parts = [_formatted(part) for part in value.parts]
        case ex.Binary(operator="%"):
            right = value.right
            parts = list(right.items) if isinstance(right, ex.Sequence) else [right]
        case ex.Call(name="format"):
            parts = positional(value)
        case _:
            parts = [value]
    yield from (found for part in parts if (found := _tensor(part)) is not None)


def _formatted(part: ex.Expression) -> ex.Expression:
    """What stands in the braces of an f-string before the way in which it is to be written."""
    return part.children[0] if isinstance(part, ex.Opaque) and part.children else part


def _tensor(source: ex.Expression) -> ex.Reference | None:
    """The name behind `.data`, `detach()` and `mean()`."""
    while True:
        if isinstance(source, ex.Attribute) and source.name == "data":
            source = source.value
        elif isinstance(source, ex.Call) and source.name in _OF_ONE:
            if not isinstance(source.function, ex.Attribute):
                return None
            source = source.function.value
        else:
            return source if isinstance(source, ex.Reference) else None


def _built(context: AnalysisContext, loop: BatchLoop, calls: list[ex.Call]) -> Iterator[HostSync]:
    """`torch.zeros(…).to(device)`: made on the CPU, then copied."""
    for call in calls:
        made = call.function.value if isinstance(call.function, ex.Attribute) else None
        if not isinstance(made, ex.Call) or call.name not in tensors.COPIES:
            continue
        device, flag = transfers.of_to(call) if call.name == "to" else (None, None)
        if (call.name == "to" and device is None) or flag is not None:
            continue
        bound = bind(context, made)
        given = any(bound.may_be_given(name) for name in ("device", "pin_memory"))
        if is_call_to(context, made, tensors.FACTORIES) and not given:
            yield HostSync(call, loop, made.name or "")
