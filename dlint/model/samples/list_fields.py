"""Which parts of a sample are Python lists.

Question: is a value certainly a list, and how deep do lists nest in it? Lattice: the depth of
nesting, 0 for what is no list, None for what is not known; values that differ join to None.
Followed: the steps of a backward slice, displays, sums and multiples, comprehensions, indexes and
slices, `tolist()` of arrays whose number of dimensions is known. Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.collation import LISTS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

Located = tuple[ex.Expression, "CallContext"]
Depth = int | None


def is_list(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether a value is certainly a Python list."""
    return depth_of(context, expression, frame) > 0


def depth_of(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> int:
    """How deep lists certainly nest in a value; 0 where it may be no list."""
    return Slice(context, _QUESTION).of(expression, frame) or 0


def field(context: AnalysisContext, method: Scope, key: str | int) -> Located | None:
    """What stands under a key, or at a position, of every sample; None where that differs."""
    found = [_item(ex.unnamed(result), key) for result in method.returns]
    part = found[0] if len(found) == 1 else None
    return None if part is None else (part, context.solver.root(method))


def keys_of(method: Scope) -> list[str]:
    """The keys of a sample, where it is a dict that is written out."""
    found = [ex.unnamed(result) for result in method.returns]
    whole = found[0] if len(found) == 1 else None
    keys = [ex.constant(key) for key, _ in whole.items] if isinstance(whole, ex.Mapping) else []
    return [key.value for key in keys if key is not None and isinstance(key.value, str)]


def _item(display: ex.Expression, key: str | int) -> ex.Expression | None:
    if isinstance(display, ex.Mapping):
        items = [v for k, v in display.items if (c := ex.constant(k)) and c.value == key]
        return items[-1] if items and all(k is not None for k, _ in display.items) else None
    if not isinstance(display, ex.Sequence) or not isinstance(key, int):
        return None
    starred = any(isinstance(item, ex.Starred) for item in display.items)
    return None if starred or not 0 <= key < len(display.items) else display.items[key]


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
        return max(1, slice_.of(first, frame) or 0)
    return None


def _of_subscript(slice_: Slice[Depth], part: ex.Subscript, frame: CallContext) -> Depth:
    depth = slice_.of(part.value, frame)
    if depth is None or isinstance(part.index, ex.Slice):
        return depth
    return depth - 1 if depth > 0 else None


def _of_element(slice_: Slice[Depth], element: ex.Element, frame: CallContext) -> Depth:
    depth = slice_.of(element.iterable, frame)
    return depth - 1 if depth else None


def _of_item(_: object, item: ex.Item, __: CallContext) -> Depth:
    """`*rest, last = row`: what takes all that is left is a list, whatever the row is."""
    return 1 if item.starred else None


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
