"""Where in a batch a copied value lies: the whole of it, a first part, or a tensor further down.

Questions: how deep it lies, and in which first part. Followed: the steps of a backward slice, loops
over loaders, `enumerate`, `next`, generators of the project that yield batches as they are, indexes
and attributes. Given up on, so that no part is told: values that may come of several parts, and
what other code of the project goes through a loader. Budget: that of the slice.
"""

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
from dlint.library_facts.tensors import COPIES
from dlint.model.loops.gone_through import iterated
from dlint.semantics.values.values import Generated

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.values import Value

Key = int | str
_Keys = frozenset[Key] | None
"""The first parts that a value may lie in; None where that is not known."""
_NEXT = frozenset({"next", "__next__"})
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


def key_of(transfer: Transfer) -> Key | None:
    """The position or key of the part of a batch that is copied, or in which that lies."""
    root = transfer.context.solver.root(transfer.call.scope)
    keys = Slice(transfer.context, _KEYS).of(transfer.source, root)
    return next(iter(keys)) if keys is not None and len(keys) == 1 else None


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
    whole = whole and all(_yields_whole(slice_, value) for value in values)
    return _Part(inner.depth + 1, whole, inner.is_lone)


def _yields_whole(slice_: Slice[_Part], iterated_over: Value) -> bool:
    """Whether a generator of the project yields what it goes through itself, not parts of it."""
    if not isinstance(iterated_over, Generated):
        return True
    yields = [y for y in iterated_over.scope.yields if not y.delegates]
    values = (y.value for y in yields)
    return all(v is not None and slice_.of(v, iterated_over.frame).is_whole for v in values)


def _counts(iterable: ex.Expression) -> bool:
    return any(isinstance(p, ex.Call) and p.name == "enumerate" for p in walk.walk(iterable))


def _of_taken(
    slice_: Slice[_Part], taken: ex.Subscript | ex.Attribute, frame: CallContext
) -> _Part:
    inner = slice_.of(taken.value, frame)
    return _Part(inner.depth + 1, is_whole=False, is_lone=inner.is_lone)


def _of_call(slice_: Slice[_Part], call: ex.Call, frame: CallContext) -> _Part:
    """`next(it)` is a batch; a method gives what is no deeper than its object."""
    if call.name in _NEXT:
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
    source = _source(call)
    if source is None or not isinstance(origin_of(source), ex.Attribute | ex.Parameter):
        return False
    return any(map(is_repeated, leading_to(context, call.scope)))


def _source(call: ex.Call) -> ex.Expression | None:
    """The iterator that `next(…)`, or its method `__next__`, asks."""
    callee = call.function
    is_method = isinstance(callee, ex.Attribute) and call.name == "__next__"
    return callee.value if is_method and isinstance(callee, ex.Attribute) else written(call, 0)


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


# -- the same of keys


def _any_of(found: Sequence[_Keys]) -> _Keys:
    known = [keys for keys in found if keys is not None]
    return frozenset[Key]().union(*known) if len(known) == len(found) else None


def _of_absent(_: object, constant: ex.Constant, __: CallContext) -> _Keys:
    """None, which an attribute holds until there is a batch, or behind the last one."""
    return frozenset() if constant.value is None else None


def _of_copied(_: object, call: ex.Call, __: CallContext) -> _Keys:
    """What has been copied once lies in no batch, as what a prefetcher keeps on its attribute."""
    is_copy = isinstance(call.function, ex.Attribute) and call.name in COPIES
    return frozenset() if is_copy else None


def _under_position(slice_: Slice[_Keys], item: ex.Item, frame: CallContext) -> _Keys:
    if is_batch(slice_.context, item, frame):
        return None
    position = None if item.starred or item.position < 0 else item.position
    return _taken_out(slice_, item, position, frame)


def _under_index(slice_: Slice[_Keys], part: ex.Subscript, frame: CallContext) -> _Keys:
    key = ex.constant(part.index)
    known = key.value if key is not None and isinstance(key.value, int | str) else None
    return _taken_out(slice_, part, None if known == -1 else known, frame)


def _taken_out(
    slice_: Slice[_Keys],
    part: ex.Item | ex.Subscript | ex.Attribute,
    key: Key | None,
    frame: CallContext,
) -> _Keys:
    """The key itself, where it is that of a batch; else the one that what holds the part has."""
    context = slice_.context
    if is_batch(context, part.value, frame) or _is_next(context, part.value, frame):
        return None if key is None else frozenset({key})
    shown = list(steps(context, part, frame))
    return slice_.joined(shown) if shown else slice_.of(part.value, frame)


def _is_next(context: AnalysisContext, taken: ex.Expression, frame: CallContext) -> bool:
    """Whether `next` gives a batch of a loader."""
    call = origin_of(taken)
    source = _source(call) if isinstance(call, ex.Call) and call.name in _NEXT else None
    values = () if source is None else context.solver.values(source, frame)
    return bool(values) and all(
        not isinstance(value, Generated) and iterated(context.solver, value) for value in values
    )


_KEYS: Question[_Keys] = Question(
    None,
    _any_of,
    {
        ex.Constant: _of_absent,
        ex.Call: _of_copied,
        ex.Item: _under_position,
        ex.Subscript: _under_index,
        ex.Attribute: lambda slice_, part, frame: _taken_out(slice_, part, None, frame),
        ex.Element: lambda slice_, part, frame: slice_.of(part.iterable, frame),
    },
)
"""In which first part of a batch a value lies."""
