"""How many steps a number says a run has: by which loader's length, and times how many processes.

Question: which `len(loader)` is a number made of, and how often is it multiplied by the number of
processes that train. Followed: what `backward.Slice` follows, arithmetic, rounding, and attributes
of any object that the same function has written before, or other methods of the class. What is not
known is a number that has nothing to do with loaders (epochs, accumulated batches), unless it may
be a number of processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Located, Question, Slice, steps
from dlint.analyses.calls import library_callees
from dlint.analyses.control.last_writes import last_write
from dlint.analyses.control.order import When, relative_order
from dlint.ir import expressions as ex
from dlint.library_facts.distributed import DISTRIBUTED, Rank
from dlint.library_facts.schedules import PROCESSES, SAME
from dlint.model.data import sharding
from dlint.model.ranks import rank_expressions
from dlint.semantics.calls import calls
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import (
    AllocationSite,
    Value,
    WrappedLoader,
    is_of_library,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Store


class Count(NamedTuple):
    """One alternative of a number.

    `length` is the `len(…)` of `loader` that it is made of, which a framework divides later (or has
    divided: `is_divided`); `processes`: how often it is multiplied by their number.
    """

    loader: AllocationSite | None = None
    length: ex.Call | None = None
    is_divided: bool = False
    processes: int = 0
    is_known: bool = True


Counts = frozenset[Count]
_NUMBER: Counts = frozenset({Count()})
_UNCLEAR: Counts = frozenset({Count(is_known=False)})
_MOST = 16


def counts_of(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> Counts:
    """What a number may count."""
    return Slice(context, _COUNTED).of(expression, frame)


def _either(found: Sequence[Counts]) -> Counts:
    whole = frozenset[Count]().union(*found)
    return whole if len(whole) <= _MOST else _UNCLEAR


def _of_binary(slice_: Slice[Counts], binary: ex.Binary, frame: CallContext) -> Counts:
    left, right = slice_.of(binary.left, frame), slice_.of(binary.right, frame)
    sign = -1 if binary.operator in ("/", "//", "%") else 1
    if binary.operator not in ("*", "/", "//"):
        sign = 0
    found = frozenset(_combined(one, other, sign) for one in left for other in right)
    return found if len(found) <= _MOST else _UNCLEAR


def _combined(one: Count, other: Count, sign: int) -> Count:
    """A product (1), a quotient (-1), or a sum (0)."""
    both = one.loader is not None and other.loader is not None
    if not (one.is_known and other.is_known) or (both and one != other):
        return Count(is_known=False)
    if sign < 0 and other.loader is not None:
        return Count(is_known=False)
    if sign == 0 and one.processes != other.processes and not _is_plain(one, other):
        return Count(is_known=False)
    base = one if one.loader is not None else other
    factor = other if base is one else one
    processes = base.processes + sign * factor.processes
    return base._replace(processes=processes)


def _is_plain(one: Count, other: Count) -> bool:
    return Count() in (one, other)


def _of_call(slice_: Slice[Counts], call: ex.Call, frame: CallContext) -> Counts | None:
    context = slice_.context
    paths = library_callees(context, call)
    given = [argument.value for argument in call.arguments if not argument.star]
    if paths == ("builtins.len",) and given:
        return _of_length(slice_, call, given.pop(), frame)
    if paths and SAME.issuperset(paths):
        found = [slice_.of(value, frame) for value in given]
        speaking = [one for one in found if one != _NUMBER]
        return _either(speaking) if speaking else _NUMBER
    return _of_other(slice_, call, frame)


def _of_length(
    slice_: Slice[Counts], call: ex.Call, whole: ex.Expression, frame: CallContext
) -> Counts:
    solver = slice_.context.solver
    values = list(_before(slice_.context, whole, call, frame))
    plain = [v for v in values if isinstance(v, AllocationSite) and calls.is_loader(solver, v)]
    if plain and len(plain) == len(values):
        return frozenset(Count(made, call) for made in plain)
    if values and all(isinstance(value, WrappedLoader) for value in values):
        return frozenset(
            Count(v.loader, call, True) for v in values if isinstance(v, WrappedLoader)
        )
    return _UNCLEAR


def _before(
    context: AnalysisContext, whole: ex.Expression, call: ex.Call, frame: CallContext
) -> list[Value]:
    """What an expression denotes; of an attribute, what has been written there so far."""
    values = list(context.solver.values(whole, frame))
    name = ex.dotted(whole)
    if not isinstance(whole, ex.Attribute) or name is None or len(values) < 2:
        return values
    stores = [store for store in call.scope.stores if ex.dotted(store.target) == name]
    earlier = [s for s in stores if _is_before(s, call)]
    if earlier and len({s.statement.block for s in stores}) == 1:
        return list(context.solver.values(earlier.pop().value, frame))
    write = last_write(context, whole, call.scope, call.statement)
    return values if write is None else list(context.values(write.value, write.scope))


def _is_before(store: Store, call: ex.Call) -> bool:
    return When.BEFORE in relative_order(store.statement, call.statement)


def _of_attribute(slice_: Slice[Counts], attribute: ex.Attribute, frame: CallContext) -> Counts:
    context = slice_.context
    if attribute.name in PROCESSES and _is_framework(context, attribute.value, frame):
        return frozenset({Count(processes=1)})
    stores = [
        store
        for store in frame.scope.stores
        if ex.dotted(store.target) == ex.dotted(attribute) is not None
        and store.statement.span[0] < attribute.span[0]
    ]
    if stores:
        return slice_.joined((store.value, frame) for store in stores)
    return _of_other(slice_, attribute, frame)


def _is_framework(context: AnalysisContext, owner: ex.Expression, frame: CallContext) -> bool:
    values = context.solver.values(owner, frame)
    return any(is_of_library(v) for v in values)


def _of_other(slice_: Slice[Counts], expression: ex.Expression, frame: CallContext) -> Counts:
    """What the steps that all questions share lead to; a number where they lead nowhere."""
    if rank_expressions.kind(slice_.context, expression, frame) in (Rank.WORLD, Rank.MACHINE):
        return frozenset({Count(processes=1)})
    further: list[Located] = [*steps(slice_.context, expression, frame)]
    if further:
        return slice_.joined(further)
    unclear = sharding.speaks_of(slice_.context, expression, frame, DISTRIBUTED, 2)
    return _UNCLEAR if unclear else _NUMBER


_COUNTED: Question[Counts] = Question(
    _NUMBER,
    _either,
    {
        ex.Binary: _of_binary,
        ex.Call: _of_call,
        ex.Attribute: _of_attribute,
        ex.Subscript: _of_other,
        ex.Reference: _of_other,
        ex.Parameter: _of_other,
    },
)
