"""Where in a batch a copied value lies: the whole of it, a first part, or a tensor further down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.control.call_paths import is_repeated, leading_to, most_runs
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.remembering import remembered
from dlint.model.loops.gone_through import iterated

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer
    from dlint.semantics.calls.call_contexts import CallContext

_KEEPING_LONE = frozenset({"items", "values"})


class _Part(NamedTuple):
    """What is known of a value that comes of a batch.

    `depth` counts how often something was taken out, the batch itself the first time; a lone one
    comes of one `next(…)` that no loop repeats, there or around a function that goes on with its
    iterator.
    """

    depth: int
    is_whole: bool
    is_lone: bool


_UNKNOWN = _Part(0, is_whole=False, is_lone=False)


def is_leaf(transfer: Transfer) -> bool:
    """Whether what is copied stands deeper in the batch than its first parts: a tensor by then."""
    return _part_of(transfer).depth > 1


def is_whole(transfer: Transfer) -> bool:
    """Whether the batch as the loader gives it is copied, not a part of it."""
    return _part_of(transfer).is_whole


def is_batch(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether a value is a batch as a loader gives it, where it is known to come of one."""
    part = Slice(context, _PARTS).of(expression, frame)
    return part.is_whole and part.depth == 1


def copies_once(transfer: Transfer) -> bool:
    """Whether a copy is made of one batch only: a lone one, or in no loop of what runs once."""
    call = transfer.call
    if _part_of(transfer).is_lone:
        return True
    return not is_repeated(call) and most_runs(transfer.context, call.scope) <= 1


@remembered(4096)
def _part_of(transfer: Transfer) -> _Part:
    context = transfer.context
    return Slice(context, _PARTS).of(transfer.source, context.solver.root(transfer.call.scope))


def _one_of(found: Sequence[_Part]) -> _Part:
    return _Part(
        min(part.depth for part in found),
        all(part.is_whole for part in found),
        all(part.is_lone for part in found),
    )


# -- the transfer table


def _of_item(slice_: Slice[_Part], item: ex.Item, frame: CallContext) -> _Part:
    """`for i, batch in enumerate(loader)` gives the batch; other parts are parts of it."""
    inner = slice_.of(item.value, frame)
    counted = isinstance(item.value, ex.Element) and _counts(item.value.source)
    return inner._replace(is_whole=counted and inner.depth == 1)


def _of_element(slice_: Slice[_Part], element: ex.Element, frame: CallContext) -> _Part:
    solver = slice_.context.solver
    values = solver.values(element.iterable, frame)
    is_loader = any(iterated(solver, value) for value in values)
    inner = _UNKNOWN if is_loader else slice_.of(element.iterable, frame)
    whole = inner.depth == 0 and not _counts(element.source)
    return _Part(inner.depth + 1, whole, inner.is_lone)


def _counts(iterable: ex.Expression) -> bool:
    return any(isinstance(p, ex.Call) and p.name == "enumerate" for p in walk.walk(iterable))


def _of_taken(
    slice_: Slice[_Part], taken: ex.Subscript | ex.Attribute, frame: CallContext
) -> _Part:
    inner = slice_.of(taken.value, frame)
    return _Part(inner.depth + 1, is_whole=False, is_lone=inner.is_lone)


def _of_call(slice_: Slice[_Part], call: ex.Call, frame: CallContext) -> _Part:
    """`next(it)` is a batch; a method gives what is no deeper than its object."""
    if call.name in ("next", "__next__"):
        repeated = any(walk.enclosing_loops(call.statement)) or _goes_on(slice_.context, call)
        return _UNKNOWN._replace(is_lone=not repeated)
    returned = list(steps(slice_.context, call, frame))
    if returned or not isinstance(call.function, ex.Attribute):
        return slice_.joined(returned)
    inner = slice_.of(call.function.value, frame)
    is_lone = inner.is_lone and call.function.name in _KEEPING_LONE
    return _Part(inner.depth, is_whole=False, is_lone=is_lone)


def _goes_on(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether calls in a loop have a function go on with an iterator that is kept outside of it."""
    callee = call.function
    is_method = isinstance(callee, ex.Attribute) and call.name == "__next__"
    source = callee.value if is_method and isinstance(callee, ex.Attribute) else written(call, 0)
    if source is None or not isinstance(origin_of(source), ex.Attribute | ex.Parameter):
        return False
    return any(map(is_repeated, leading_to(context, call.scope)))


_PARTS: Question[_Part] = Question(
    _UNKNOWN,
    _one_of,
    {
        ex.Item: _of_item,
        ex.Element: _of_element,
        ex.Subscript: _of_taken,
        ex.Attribute: _of_taken,
        ex.Call: _of_call,
    },
)
"""Where a value lies in the batch: loops, indexes and attributes go one step down."""
