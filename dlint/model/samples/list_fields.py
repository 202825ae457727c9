"""Which parts of a sample are Python lists.

Question: is a value certainly a list, and how deep do lists nest in it? Lattice: the depth of
nesting, 0 for what is no list, None for what is not known; values that differ join to None.
Followed: the steps of a backward slice, displays, sums and multiples, comprehensions, indexes and
slices, what goes over the values of a `defaultdict(list)`, `tolist()` of arrays whose number of
dimensions is known. Budget: that of the slice.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import DEEP
from dlint.analyses.handed_over import IsIt, receivers
from dlint.analyses.idle.spoken_names import parts_of
from dlint.analyses.returned_items import returned_items
from dlint.analyses.value_parts import origin_of
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.collation import LISTS
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

Located = tuple[ex.Expression, "CallContext"]
_DEFAULT_DICTS = ("collections.defaultdict",)
_WRITING = frozenset({"update", "setdefault", "__setitem__"})
Depth = int | None
_Way = tuple["CallContext", ...]
"""The activations that have handed a dict on."""


def is_list(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether a value is certainly a Python list."""
    return depth_of(context, expression, frame) > 0


def depth_of(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> int:
    """How deep lists certainly nest in a value; 0 where it may be no list."""
    return Slice(context, _QUESTION).of(expression, frame) or 0


def field(context: AnalysisContext, method: Scope, key: str | int) -> Located | None:
    """What stands under a key, or at a position, of every sample; None where that differs."""
    found = returned_items(context, method, key)
    return found[0] if len(found) == 1 else None


def keys_of(method: Scope) -> list[str]:
    """The keys of a sample, where it is a dict that is written out."""
    found = [ex.unnamed(result) for result in method.returns]
    whole = found[0] if len(found) == 1 else None
    keys = [ex.constant(key) for key, _ in whole.items] if isinstance(whole, ex.Mapping) else []
    return [key.value for key in keys if key is not None and isinstance(key.value, str)]


# -- the transfer table


def _join(found: Sequence[Depth]) -> Depth:
    return found[0] if len(set(found)) == 1 else None


def _of_constant(_: object, __: ex.Constant, ___: CallContext) -> Depth:
    return 0


def _of_display(slice_: Slice[Depth], display: ex.Sequence, frame: CallContext) -> Depth:
    if display.kind != "list":
        return None
    depths = [slice_.of(item, frame) or 0 for item in display.items]
    return 1 + min(depths, default=0)


def _of_arithmetic(slice_: Slice[Depth], binary: ex.Binary, frame: CallContext) -> Depth:
    """`[0.0] * n`, `[a] + [b]`."""
    depths = [slice_.of(side, frame) for side in (binary.left, binary.right)]
    if binary.operator == "*":
        known = [depth for depth in depths if depth]
        return known[0] if len(known) == 1 else None
    return depths[0] if binary.operator == "+" and depths[0] and depths[0] == depths[1] else None


def _of_comprehension(slice_: Slice[Depth], made: ex.Comprehension, frame: CallContext) -> Depth:
    return 1 + (slice_.of(made.element, frame) or 0) if made.kind == "list" else None


def _of_call(slice_: Slice[Depth], call: ex.Call, frame: CallContext) -> Depth:
    """`x.tolist()`, `list(x)`; any other call is left to what the functions of the project give."""
    callee = call.function
    if isinstance(callee, ex.Attribute) and callee.name == "tolist":
        array = slice_.context[DatasetSizes].sizes.array(callee.value, frame)
        return None if array is None else len(array.dims)
    first = written(call, 0)
    if set(library_callees(slice_.context, call)) & LISTS and first is not None:
        mapping = None if _is_changed(call) else ex.mapping_of(origin_of(first), "values")
        inner = None if mapping is None else _of_values(slice_, mapping, frame)
        return 1 + inner if inner else max(1, slice_.of(first, frame) or 0)
    return None


def _of_subscript(slice_: Slice[Depth], part: ex.Subscript, frame: CallContext) -> Depth:
    depth = slice_.of(part.value, frame)
    if depth is None or isinstance(part.index, ex.Slice):
        return depth
    return depth - 1 if depth > 0 else None


def _of_element(slice_: Slice[Depth], element: ex.Element, frame: CallContext) -> Depth:
    mapping = ex.mapping_of(element.source, "values")
    if mapping is not None:
        return _of_values(slice_, mapping, frame)
    depth = slice_.of(element.iterable, frame)
    return depth - 1 if depth else None


def _of_item(slice_: Slice[Depth], item: ex.Item, frame: CallContext) -> Depth:
    """`*rest, last = row`: what takes all that is left is a list, whatever the row is."""
    source = item.value.source if isinstance(item.value, ex.Element) else None
    mapping = None if source is None else ex.mapping_of(source, "items")
    if mapping is not None and item.position == 1:
        return _of_values(slice_, mapping, frame)
    return 1 if item.starred else None


def _of_values(slice_: Slice[Depth], mapping: ex.Expression, frame: CallContext) -> Depth:
    """The values of `defaultdict(list)`, of which a function writes none itself."""
    made = origin_of(mapping)
    factory = written(made, 0) if isinstance(made, ex.Call) else None
    if not isinstance(made, ex.Call) or not isinstance(mapping, ex.Reference) or factory is None:
        return None
    paths = library_callees(slice_.context, made)
    if paths != _DEFAULT_DICTS or made.scope is not frame.scope:
        return None
    if _is_written(slice_.context, frame, partial(operator.is_, made), ()):
        return None
    return 1 if slice_.context.values(factory, made.scope) == {External("builtins.list")} else None


def _is_written(context: AnalysisContext, frame: CallContext, is_dict: IsIt, way: _Way) -> bool:
    """Whether code may put something else into a dict, by a key or where it hands it on."""
    scope = frame.scope
    if any(True for _ in walk.inner_scopes(scope)):
        return True
    owners = [s.target.value for s in scope.stores if isinstance(s.target, ex.Subscript)]
    owners += [s.value for s in scope.stores]
    writing = (call.function for call in scope.calls if call.name in _WRITING)
    owners += [callee.value for callee in writing if isinstance(callee, ex.Attribute)]
    if any(is_dict(origin_of(owner)) for owner in owners):
        return True
    return any(_hands_to_writer(context, call, frame, is_dict, way) for call in scope.calls)


def _hands_to_writer(
    context: AnalysisContext, call: ex.Call, frame: CallContext, is_dict: IsIt, way: _Way
) -> bool:
    """Whether a call may hand a dict to a function that writes to it, keeps it or gives it back."""
    paths = library_callees(context, call)
    if paths and all(path.startswith("builtins.") for path in paths):
        return False
    handed = receivers(context, call, frame, is_dict)
    if not handed.are_all or (handed.known and len(way) == DEEP):
        return True
    return any(
        _has_other_use(each.frame.scope, each.parameter)
        or _is_written(context, each.frame, each.is_it, (*way, frame))
        for each in handed.known
    )


def _has_other_use(scope: Scope, parameter: str) -> bool:
    """Whether a function does more with a parameter than to take items of it and hand it on."""
    if any(not isinstance(d.value, ex.Parameter) for d in walk.bindings_of(scope, parameter)):
        return True
    parts = list(parts_of(scope))
    taken = {id(part.value) for part in parts if isinstance(part, ex.Subscript)}
    calls = (part for part in parts if isinstance(part, ex.Call))
    taken |= {id(argument.value) for call in calls for argument in call.arguments}
    named = (p for p in parts if isinstance(p, ex.Reference) and p.name == parameter)
    return any(id(part) not in taken for part in named)


def _is_changed(made: ex.Call) -> bool:
    """Whether a function writes an item of a list that it makes."""
    stores = () if made.scope is None else made.scope.stores
    targets = (s.target.value for s in stores if isinstance(s.target, ex.Subscript))
    return made in map(origin_of, targets)


_QUESTION: Question[Depth] = Question(
    None,
    _join,
    {
        ex.Item: _of_item,
        ex.Constant: _of_constant,
        ex.Sequence: _of_display,
        ex.Binary: _of_arithmetic,
        ex.Comprehension: _of_comprehension,
        ex.Call: _of_call,
        ex.Subscript: _of_subscript,
        ex.Element: _of_element,
    },
)
"""How deep lists nest in a value."""
