"""Where each training step waits for the GPU.

Question: which calls of a loop that trains on the GPU make the host wait at every step? Followed
are reads of the loss and its terms, here and in the functions that make them or are handed them,
reads of what is computed of a batch, copies of tensors that are made on the CPU, and calls that
wait by themselves. Silent where the step has to wait anyway, as it decides by what it reads, or
where time is measured.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.call_paths import calls_below, calls_in_each_run, entered_by
from dlint.analyses.control.completions import leaves_in_first_round
from dlint.analyses.control.path_tests import call_always_runs, is_optional, runs_whenever
from dlint.analyses.repetition import contains
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Loop
from dlint.library_facts import tensors
from dlint.model.loops.accelerated_loops import runs_on_accelerator
from dlint.model.loops.batch_loops import (
    GRADIENT_STEPS,
    BatchLoop,
    batch_loops,
    calls_any,
    calls_in,
    names_any,
)
from dlint.model.loops.explicit_waits import WAITS, explicit_waits
from dlint.model.loops.handed_gradients import is_handed_over
from dlint.model.loops.handed_reads import HandedRead, handed_reads, handed_result
from dlint.model.loops.host_reads import brings, is_made_on_host, made_for_host, needed_on_host
from dlint.model.loops.loss_gradients import (
    gradient_of,
    is_term,
    makers_of_losses,
)
from dlint.model.loops.loss_names import (
    definition_of,
    is_made_beside_loss,
    is_picked_beside_loss,
)
from dlint.model.loops.parameter_reads import parameter_reads
from dlint.model.loops.step_decisions import checks_numbers, decides_step, ends_program_by
from dlint.model.loops.step_functions import StepFunction, is_tested, step_functions
from dlint.model.machines.timing import is_timed_benchmark
from dlint.model.transfers import transfers
from dlint.model.transfers.device_results import is_computed_there
from dlint.model.transfers.device_tests import with_tests_for
from dlint.semantics.calls.attributes import decorators

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Block, Scope, Statement
    from dlint.model.loops.loss_names import Tensor

_OPTIMIZING = frozenset({"step"})
"""What optimizers, gradient scalers and engines are asked to change a model."""

_QUEUING = GRADIENT_STEPS | {"step"}
"""Calls that give the GPU more to do."""


_KEEPING = frozenset({"cache", "lru_cache"})
"""Decorators that keep what a function has made."""


class HostSync(NamedTuple):
    """One place where every step waits."""

    call: ex.Call
    loop: BatchLoop
    built: str = ""
    """The function that makes a tensor on the CPU, where it is its copy that waits."""
    asked: str = ""
    """The last name of the call of torch that waits, or makes the driver wait; or what is read."""
    others: tuple[ex.Call, ...] = ()
    """Other reads in the same step."""
    of_loss: bool = True
    """Whether the loss is read, or a term of it; else what is computed of a batch."""
    ends_run: bool = False
    """Whether a test of the step ends the program by what is read."""
    read: ex.Call | None = None
    """What reads: the call itself, or one in the function that it enters."""

    @property
    def name(self) -> str | None:
        """The last name of what is called: `item`."""
        return self.call.name

    @property
    def place(self) -> Place:
        """Where the host waits."""
        return self.loop.context.place_of(self.call)

    @property
    def inner_place(self) -> Place | None:
        """Where the function that is called reads the loss; None where it does not."""
        if self.read is None or self.read is self.call:
            return None
        return self.loop.context.place_of(self.read)

    @property
    def other_places(self) -> list[Place]:
        """Where the same step waits too."""
        return [self.loop.context.place_of(call) for call in self.others]


def host_syncs(context: AnalysisContext) -> Iterator[HostSync]:
    """Reads of the loss, and copies of new tensors, at every step of a loop on the GPU."""
    seen: set[ex.Call] = set()
    for loop in context[batch_loops]:
        body = loop.body
        if body is None or loop.begins_only or not _trains(context, loop, body):
            continue
        if isinstance(loop.statement, Loop) and leaves_in_first_round(loop.statement):
            continue
        if not runs_on_accelerator(context, loop):
            continue
        yield from _of_loop(context, loop, body, seen)


def _trains(context: AnalysisContext, loop: BatchLoop, body: Block) -> bool:
    """Whether a loop takes gradients; those of its functions may be of an attack on the model."""
    return loop.takes_gradients or (loop.trains and calls_any(context, body, _OPTIMIZING))


def _of_loop(
    context: AnalysisContext, loop: BatchLoop, body: Block, seen: set[ex.Call]
) -> Iterator[HostSync]:
    """What waits in a loop, and what is read in the functions that take its gradients."""
    calls = [call for call in calls_in(body) if call not in seen]
    seen.update(calls)
    steps = [call.statement for call in calls_in(body) if _takes_gradient(context, call)]
    steady = [call for call in calls if _is_in_each_step(context, call, steps)]
    functions = [] if loop.takes_gradients else step_functions(context, body)
    inner = [call for function in functions for call in calls_in(function.scope.body)]
    measured = is_timed_benchmark(loop)
    asked = [] if measured else list(_asked(context, loop, steady))
    reads: list[HostSync] = []
    every = [call for call in calls if _comes_with(call.statement, steps)]
    if not measured and not checks_numbers([*every, *inner]):
        reads += _reads(context, loop, calls, body, steps)
        for function in functions:
            reads += _reads_inside(context, loop, body, function, seen)
    if names_any([*steady, *inner], WAITS):
        asked = [_beside(one, reads) for one in asked]
    else:
        yield from reads
    yield from _built(context, loop, [*steady, *_made_inside(context, steady, seen)])
    yield from asked
    if not measured:
        yield from _of_parameters(context, loop, body, steps)


def _made_inside(
    context: AnalysisContext, steady: list[ex.Call], seen: set[ex.Call]
) -> list[ex.Call]:
    """The calls that functions make which each step enters and runs, whatever it gives them."""
    entered = entered_by(context, steady, inner=_made_each_time)
    calls = [call for scope in entered for call in _made_each_time(scope) if call not in seen]
    seen.update(calls)
    return calls


def _made_each_time(scope: Scope) -> list[ex.Call]:
    return [] if decorators(scope) & _KEEPING else calls_in_each_run(scope)


def _beside(asked: HostSync, reads: list[HostSync]) -> HostSync:
    """A call that waits for the GPU, with the reads of its step, which wait, too."""
    if asked.asked != "synchronize":
        return asked
    return asked._replace(others=(*asked.others, *(c for r in reads for c in (r.call, *r.others))))


def _reads_inside(
    context: AnalysisContext,
    loop: BatchLoop,
    body: Block,
    function: StepFunction,
    seen: set[ex.Call],
) -> Iterator[HostSync]:
    """The reads of a function that takes the gradient, where the loop asks not for its answer."""
    inside = function.scope.body
    calls = [call for call in calls_in(inside) if call not in seen]
    steps = [call.statement for call in calls if call.name in GRADIENT_STEPS]
    seen.update(calls)
    for sync in _reads(context, loop, calls, inside, steps):
        if not is_tested(function, body, (sync.call, *sync.others)):
            yield sync


def _takes_gradient(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call takes a gradient, itself or in the functions that it enters."""
    return names_any(calls_below(context, [call]), GRADIENT_STEPS)


def _asked(context: AnalysisContext, loop: BatchLoop, calls: list[ex.Call]) -> Iterator[HostSync]:
    """`torch.cuda.synchronize()` and `empty_cache()`, where no time is measured."""
    for name, (*others, last) in explicit_waits(context, calls, loop.scope).items():
        yield HostSync(last, loop, asked=name, others=tuple(others))


def _of_parameters(
    context: AnalysisContext, loop: BatchLoop, body: Block, steps: list[Statement]
) -> Iterator[HostSync]:
    """`p.grad.norm().item()`, for each parameter."""
    found = parameter_reads(context, body, steps)
    if found:
        yield HostSync(found[0], loop, asked="parameters", others=tuple(found[1:]))


def _is_in_each_step(context: AnalysisContext, call: ex.Call, steps: list[Statement]) -> bool:
    """Whether each round on the GPU that takes a gradient makes a call, whichever that is."""
    if is_optional(call, rounds=False):
        return False
    return any(_comes_with(one, steps) for one in with_tests_for(context, "cuda", call))


def _comes_with(statement: Statement, steps: list[Statement]) -> bool:
    """Whether each round that takes a gradient comes to a statement."""
    return all(runs_whenever(statement, step) for step in steps)


def _either_way(calls: list[ex.Call], steps: list[Statement]) -> list[ex.Call]:
    """The calls of which each step makes one, as every branch of a test makes one of them."""
    certain = [call for call in calls if not is_optional(call)]
    blocks = {call.statement.block for call in certain}
    filled: set[If] = set()
    while new := {b.owner for b in blocks if _is_filled(b.owner, blocks)} - filled:
        filled |= new
        blocks |= {test.block for test in new}
    whole = {test for test in filled if _comes_with(test, steps)}
    return [call for call in certain if not whole.isdisjoint(_around(call.statement, filled))]


def _is_filled(owner: object, blocks: Collection[Block]) -> TypeGuard[If]:
    """Whether both branches of a test are among some blocks."""
    return isinstance(owner, If) and owner.then in blocks and owner.otherwise in blocks


def _around(statement: Statement, tests: Collection[If]) -> Iterator[If]:
    """Those of some tests that lie around a statement, one directly in the other."""
    owner = statement.block.owner
    while isinstance(owner, If) and owner in tests:
        yield owner
        owner = owner.block.owner


def _reads(
    context: AnalysisContext,
    loop: BatchLoop,
    calls: list[ex.Call],
    body: Block,
    steps: list[Statement],
) -> Iterator[HostSync]:
    """The first read waits; the others must go as well for a step not to wait."""
    loss_reads = {call: _loss_read(context, call, body) for call in calls}
    losses = {call: None if read is None else read.tensor for call, read in loss_reads.items()}
    either = _either_way([call for call, loss in losses.items() if loss is not None], steps)
    calls = [call for call in calls if call in either or _is_in_each_step(context, call, steps)]
    named = [(call, losses[call]) for call in calls]
    reads = [c for c, loss in named if loss is not None and not is_made_on_host(context, loss)]
    before = list(_read_where_made(context, body))
    asked = {call: _result_read(context, call, body) for call in calls if call not in reads}
    results = [call for call, read in asked.items() if read is not None]
    brought = [call for call in calls if call in results or _is_worked_on(context, call, body)]
    if reads and not before and _has_waited(named, brought, reads[0]):
        reads = []
    found = [*reads, *before]
    if decides_step(context, body, [*found, *results]):
        return
    kept = [call for call in (*found, *results) if not isinstance(call.statement, If)]
    if kept:
        of_loss, ends = kept[0] in found, ends_program_by(body, kept)
        sync = HostSync(kept[0], loop, others=tuple(kept[1:]), of_loss=of_loss, ends_run=ends)
        read = loss_reads.get(kept[0])
        yield sync._replace(read=asked.get(kept[0]) if read is None else read.read)


def _loss_read(context: AnalysisContext, call: ex.Call, body: Block) -> HandedRead | None:
    """The read of a loss that a call is, or the function that it enters makes; None for others."""
    made = made_for_host(call)
    own = [HandedRead(call, name) for name in needed_on_host(call)]
    own += [] if made is None else [HandedRead(call, made)]
    found = (*own, *handed_reads(context, call, body))
    return next((one for one in found if _reads_loss(context, one.read, one.tensor, body)), None)


def _reads_loss(
    context: AnalysisContext, call: ex.Call, name: Tensor | ex.Call, body: Block
) -> bool:
    """Whether a name stands for a loss, or a method fetches what was made beside one."""
    if isinstance(name, ex.Call):
        return gradient_of(context, name, body, detached=True) is not None
    is_fetched = call.name in tensors.FETCHES and not call.arguments
    return _is_loss(context, name, body) or (
        is_fetched and is_made_beside_loss(context, name, body)
    )


def _is_loss(context: AnalysisContext, name: Tensor, body: Block) -> bool:
    """Whether a gradient is taken of what a name stands for, or was of what it is cut off from.

    A function may take it. One of what either branch of a test has bound is enough; so is a dict
    that the loss is in, if one goes through its keys.
    """
    if gradient_of(context, name, body, detached=True) or is_handed_over(context, name, body):
        return True
    if isinstance(name, ex.Subscript):
        return is_picked_beside_loss(name, body)
    either = ex.unnamed(name)
    sides = (either.then, either.otherwise) if isinstance(either, ex.Conditional) else ()
    return any(isinstance(side, ex.Reference) and _is_loss(context, side, body) for side in sides)


def _result_read(context: AnalysisContext, call: ex.Call, body: Block) -> ex.Call | None:
    """What reads a result that is computed of a batch on the GPU: `(labels == y).sum().item()`."""
    callee = call.function
    if not isinstance(callee, ex.Attribute) or call.name not in tensors.FETCHES - {"numpy"}:
        return handed_result(context, call, body)
    is_read = not call.arguments and is_computed_there(context, callee.value)
    return call if is_read else None


def _read_where_made(context: AnalysisContext, body: Block) -> Iterator[ex.Call]:
    """The reads of a loss and its terms by the functions that make it, before its gradient."""
    for scope, loss in makers_of_losses(context, body):
        for call in scope.calls:
            is_read = any(is_term(loss, name) for name in needed_on_host(call))
            if is_read and call_always_runs(call, scope.body):
                yield call


def _has_waited(
    named: list[tuple[ex.Call, Tensor | ex.Call | None]],
    brought: Collection[ex.Call],
    read: ex.Call,
) -> bool:
    """Whether the step has waited for other results behind the loss, and asked for no more."""
    loss = next((found for call, found in named if call is read), None)
    made = None if loss is None or isinstance(loss, ex.Call) else definition_of(loss)
    if made is None:
        return False
    begun = made.span[0]
    between = [call for call, _ in named if begun < call.span[0] and call.span[1] < read.span[1]]
    behind = [i for i, call in enumerate(between) if call in brought and call is not read]
    return bool(behind) and not any(call.name in _QUEUING for call in between[behind[-1] :])


def _is_worked_on(context: AnalysisContext, call: ex.Call, body: Block) -> bool:
    """Whether a call brings what the host works on; a number that nothing asks is only kept."""
    return brings(context, call) and (call.name != "item" or decides_step(context, body, [call]))


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
        if is_call_to(context, made, tensors.FACTORIES) and not (given or _holds_data(made, loop)):
            yield HostSync(call, loop, made.name or "")


def _holds_data(made: ex.Call, loop: BatchLoop) -> bool:
    """Whether a tensor is made of what a round of its loop brings, and has to be copied anyway."""
    if made.name != "tensor":
        return False
    parts = [part for a in made.arguments for part in walk.walk(a.value)]
    if not contains(loop.statement.span, made.span) or made.scope is not loop.scope:
        return any(isinstance(part, ex.Reference | ex.Call) for part in parts)
    bound = [p.definition for p in parts if isinstance(p, ex.Reference) and p.definition]
    return any(contains(loop.statement.span, one.span) for one in bound)
