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
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.repetition import counts, is_few, unpacked_from
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir.module import Statement
from dlint.model.loops.accelerated_loops import runs_on_accelerator
from dlint.model.loops.batch_loops import batch_loops, calls_in
from dlint.model.loops.parameter_reads import round_of
from dlint.model.machines.timing import is_timed_benchmark
from dlint.model.transfers.device_results import lies_there, lies_there_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Block, Scope
    from dlint.model.loops.batch_loops import BatchLoop

_NUMBERS = frozenset({"int", "float", "bool"})
"""Functions that make a number of a tensor of one element, which they fetch."""
_Read = tuple[ex.Call, Statement]


class ElementReads(NamedTuple):
    """What fetches the elements of tensors, one by one, in each round of a loop."""

    loop: BatchLoop
    calls: list[ex.Call]

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
        calls = [call for call in _in_each_round(context, loop.body) if call not in seen]
        seen.update(calls)
        if calls and not is_timed_benchmark(loop):
            yield ElementReads(loop, calls)


def _in_each_round(context: AnalysisContext, body: Block) -> list[ex.Call]:
    """The calls of a round, and of the functions that it enters, that fetch each element."""
    calls = calls_in(body)
    own = _reads(calls, lambda tensor: lies_there(context, tensor))
    found = [call for call, outer in own if always_runs(outer, body)]
    for call in calls:
        if always_runs(call.statement, body):
            for scope in callees_of(context, call):
                found += _reads_of_given(context, call, scope)
    return list(dict.fromkeys(found))


def _reads_of_given(context: AnalysisContext, entering: ex.Call, scope: Scope) -> list[ex.Call]:
    """What a function fetches of the tensors on the device that a call hands it."""
    reads = _reads(scope.calls, lambda tensor: lies_there_in(context, tensor, entering))
    return [call for call, outer in reads if always_runs(outer, scope.body)]


def _reads(
    calls: Iterable[ex.Call], lies_there: Callable[[ex.Expression], bool]
) -> Iterator[_Read]:
    """Fetches of each element of a tensor, with the statement that goes through all of them."""
    for call in calls:
        element = _number_of(call)
        for whole, round_ in _wholes(element) if element is not None else ():
            outer = None if is_few(round_.iterable, call.scope) else round_of(call, round_)
            if outer is not None and lies_there(whole):
                yield call, outer
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
