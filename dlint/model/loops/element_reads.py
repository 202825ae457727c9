"""Reads of a tensor on the device element by element, in each round of a loop over batches.

Question: does each round fetch the elements of a tensor that lies on the GPU one by one, so that
the host waits for it as often as there are elements? Followed: loops and comprehensions over the
tensor itself, alone or in `zip` and `enumerate`, and over a number by which it is indexed; here,
and in the functions that each round enters, of tensors that it hands them. Given up on: tensors
that models make, functions that such functions enter, and loops of a handful of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.path_tests import always_runs, runs_each_round
from dlint.analyses.repetition import counts, is_few, unpacked_from
from dlint.analyses.volume.ranges import Range, joined
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Jump, Loop, Return, Statement
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.accelerated_loops import runs_on_accelerator
from dlint.model.loops.batch_loops import batch_loops, calls_in
from dlint.model.loops.parameter_reads import round_of
from dlint.model.machines.timing import is_timed_benchmark
from dlint.model.samples.collation import collates_by_default
from dlint.model.samples.tensor_uses import TensorUse
from dlint.model.transfers.device_results import lies_there, lies_there_in
from dlint.model.worth.volume import volume_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Block, Scope
    from dlint.model.loops.batch_loops import BatchLoop

_NUMBERS = frozenset({"int", "float", "bool"})
"""Functions that make a number of a tensor of one element, which they fetch."""


class _Read(NamedTuple):
    """A call that fetches an element, the statement that goes through all, and the tensor."""

    call: ex.Call
    outer: Statement
    tensor: ex.Expression


class ElementReads(NamedTuple):
    """What fetches the elements of tensors, one by one, in each round of a loop.

    `samples`: how many are fetched, where they are of a part of the batch, one for each sample.
    """

    loop: BatchLoop
    calls: list[ex.Call]
    samples: Range | None

    @property
    def places(self) -> list[Place]:
        """Where they are fetched."""
        return [self.loop.context.place_of(call) for call in self.calls]


def element_reads(context: AnalysisContext) -> Iterator[ElementReads]:
    """The loops over batches on the GPU that fetch elements one by one, in each of their rounds."""
    seen: set[ex.Call] = set()
    for loop in context[batch_loops]:
        if loop.body is None or loop.begins_only or not runs_on_accelerator(context, loop):
            continue
        reads = [read for read in _in_each_round(context, loop.body) if read.call not in seen]
        calls = list(dict.fromkeys(read.call for read in reads))
        seen.update(calls)
        if calls and not is_timed_benchmark(loop):
            whole = (one.tensor for one in reads if _are_all_read(one))
            counts_ = [n for tensor in whole if (n := _samples(context, tensor)) is not None]
            most = max(counts_, key=lambda number: number.low, default=None)
            yield ElementReads(loop, calls, most)


def _samples(context: AnalysisContext, tensor: ex.Expression) -> Range | None:
    """How many samples a batch has of which a tensor is a part, stacked and copied as it came."""
    copy = ex.unpacked(ex.unnamed(tensor))
    for transfer in context[Loaders].transfers if isinstance(copy, ex.Call) else ():
        if transfer.call is copy and TensorUse(transfer.source, copy).key(context) is not None:
            loaders = [context[Loaders].of(batch.loader) for batch in transfer.batches]
            stacked = all(map(collates_by_default, loaders))
            return joined(volume_of(one).batch_size for one in loaders) if stacked else None
    return None


def _are_all_read(read: _Read) -> bool:
    """Whether each element is fetched: nothing leaves the rounds, or passes one over."""
    call, outer = read.call, read.outer
    if isinstance(outer, Loop):
        inside = walk.statements(outer.body)
        return runs_each_round(call, outer) and not any(
            isinstance(s, Jump | Return) for s in inside
        )
    parts = (p for e in walk.expressions(outer) for p in walk.walk(e))
    around = [p for p in parts if isinstance(p, ex.Comprehension) and call in walk.walk(p)]
    return all(p.kind == "list" and not p.conditions for p in around) and bool(around)


def _in_each_round(context: AnalysisContext, body: Block) -> list[_Read]:
    """What a round, and the functions that it enters, fetch element by element."""
    calls = calls_in(body)
    own = _reads(calls, lambda tensor: lies_there(context, tensor))
    found = [read for read in own if always_runs(read.outer, body)]
    for call in calls:
        if always_runs(call.statement, body):
            for scope in callees_of(context, call):
                found += _reads_of_given(context, call, scope)
    return found


def _reads_of_given(context: AnalysisContext, entering: ex.Call, scope: Scope) -> list[_Read]:
    """What a function fetches of the tensors on the device that a call hands it."""
    reads = _reads(scope.calls, lambda tensor: lies_there_in(context, tensor, entering))
    return [read for read in reads if always_runs(read.outer, scope.body)]


def _reads(
    calls: Iterable[ex.Call], lies_there: Callable[[ex.Expression], bool]
) -> Iterator[_Read]:
    """Fetches of each element of a tensor, with the statement that goes through all of them."""
    for call in calls:
        element = _number_of(call)
        for whole, round_ in _wholes(element) if element is not None else ():
            outer = None if is_few(round_.iterable, call.scope) else round_of(call, round_)
            if outer is not None and lies_there(whole):
                yield _Read(call, outer, whole)
                break


def _number_of(call: ex.Call) -> ex.Expression | None:
    """The tensor that a call fetches as one number: `x` of `x.item()` and `int(x)`."""
    if isinstance(call.function, ex.Attribute):
        return call.function.value if call.name == "item" and not call.arguments else None
    given = positional(call) if call.name in _NUMBERS and ex.is_free(call.function) else []
    return given[0] if len(given) == 1 and len(call.arguments) == 1 else None


def _wholes(element: ex.Expression) -> Iterator[tuple[ex.Expression, ex.Element]]:
    """What an expression may be an element of, and the rounds that go through it."""
    found = ex.unnamed(element)
    round_ = _round_behind(found)
    if isinstance(found, ex.Subscript):
        keys = found.index.items if isinstance(found.index, ex.Sequence) else (found.index,)
        rounds = (_round_behind(ex.unnamed(key)) for key in keys if counts(key))
        yield from ((found.value, one) for one in rounds if one is not None)
    elif isinstance(found, ex.Item) and round_ is not None:
        whole = unpacked_from(found)
        if whole is not None and whole is not round_:
            yield whole, round_
    elif round_ is not None:
        yield round_.iterable, round_


def _round_behind(target: ex.Expression) -> ex.Element | None:
    """The rounds that a loop variable is of, be it one of several."""
    value = target.value if isinstance(target, ex.Item) else target
    return value if isinstance(value, ex.Element) else None
