"""What an index takes out of an array, and how long a slice is.

Question: how large is what `array[index]` gives? Followed: numbers, slices whose bounds are known,
arrays and lists of positions, masks (of which it is not known how many are chosen), and several of
these in a tuple, with `None`. An index of which nothing is known counts as one number only where
the code says so: the index of `__getitem__`, what counts or goes over a range, and arithmetic of
those. Given up on: `...`, positions or masks beside other indices, and slices by a step below 1
other than a whole array in reverse.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.volume.arrays import Array, Dimension
from dlint.analyses.volume.ranges import Range, exactly
from dlint.ir import expressions as ex
from dlint.library_facts.array_sizes import WHOLE_NUMBERS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.volume.sizes import Sizes
    from dlint.semantics.calls.call_contexts import CallContext


def indexed(sizes: Sizes, array: Array, index: ex.Expression, frame: CallContext) -> Array | None:
    """What an index takes out of an array; None where that is not known."""
    index = ex.unnamed(index)
    if isinstance(index, ex.Sequence) and index.kind == "tuple":
        return _by_several(sizes, array, index.items, frame)
    if not array.dims:
        return None
    if isinstance(index, ex.Slice):
        return replace(array, dims=(sliced(sizes, array.dims[0], index, frame), *array.dims[1:]))
    dims = _picked(sizes, array.dims, index, frame)
    return None if dims is None else replace(array, dims=dims)


def _by_several(
    sizes: Sizes, array: Array, parts: tuple[ex.Expression, ...], frame: CallContext
) -> Array | None:
    """`x[:, :3]`, `x[i, 0]`, `x[None]`: one index for each of the first dimensions."""
    left, dims = list(array.dims), list[Dimension]()
    for part in map(ex.unnamed, parts):
        if isinstance(part, ex.Constant) and part.value is None:
            dims.append(exactly(1))
        elif not left:
            return None
        elif isinstance(part, ex.Slice):
            dims.append(sliced(sizes, left.pop(0), part, frame))
        elif is_number(sizes.context, part, frame):
            left.pop(0)
        else:
            return None
    return replace(array, dims=(*dims, *left))


def sliced(sizes: Sizes, length: Dimension, part: ex.Slice, frame: CallContext) -> Dimension:
    """How much a slice takes of so much; None where that is not known."""
    start, stop, step = part.bounds
    by = exactly(1) if step is None else sizes.number(step, frame)
    if by is None or not by.is_exact or length is None:
        return None
    if by.low < 1:
        return length if by.low == -1 and start is None and stop is None else None
    first = _bound(sizes, start, exactly(0), length, frame)
    end = _bound(sizes, stop, length, length, frame)
    if first is None or end is None:
        return None
    taken = (end - first) / by
    return None if taken is None else taken.ceil().at_least(0)


def at_most(sizes: Sizes, index: ex.Expression, frame: CallContext) -> Dimension:
    """How much `x[:n]` has at most, whatever it is taken of."""
    if not isinstance(index, ex.Slice):
        return None
    start, stop, step = index.bounds
    first = exactly(0) if start is None else sizes.number(start, frame)
    end = None if stop is None or step is not None else sizes.number(stop, frame)
    if first is None or end is None or first.low < 0 or end.low < 0:
        return None
    return Range(0, max(0, end.high - first.low), end.assumed)


def selects_rows(call: ex.Call, rows: ex.Expression) -> bool:
    """`table.select(range(n))`: the rows of a Hugging Face table that are named."""
    named = origin_of(rows)
    is_method = isinstance(call.function, ex.Attribute) and call.name == "select"
    return is_method and isinstance(named, ex.Call) and named.name == "range"


def _bound(
    sizes: Sizes, bound: ex.Expression | None, usual: Range, length: Range, frame: CallContext
) -> Range | None:
    """A bound of a slice, from the beginning: one below 0 counts from the end."""
    if bound is None:
        return usual
    at = sizes.number(bound, frame)
    if at is None or at.low < 0 <= at.high:
        return None
    at = length + at if at.high < 0 else at
    return at.at_least(0).at_most(length)


def _picked(
    sizes: Sizes, dims: tuple[Dimension, ...], index: ex.Expression, frame: CallContext
) -> tuple[Dimension, ...] | None:
    """The dimensions of what one index that is no slice takes out."""
    positions = sizes.array(index, frame)
    if positions is None:
        if is_number(sizes.context, index, frame):
            return dims[1:]
        length = sizes.length(index, frame)
        return None if length is None else (length, *dims[1:])
    if positions.dtype == "bool":
        return (None, *dims[len(positions.dims) :]) if positions.dims else None
    is_whole = positions.dtype.startswith(("int", "uint"))
    return (*positions.dims, *dims[1:]) if is_whole else None


def is_number(context: AnalysisContext, index: ex.Expression, frame: CallContext) -> bool:
    """Whether an index is certainly one whole number."""
    return Slice(context, _NUMBER).of(index, frame)


def _literal(_: Slice[bool], constant: ex.Constant, frame: CallContext) -> bool:
    return isinstance(constant.value, int) and not isinstance(constant.value, bool)


def _parameter(_: Slice[bool], given: ex.Parameter, frame: CallContext) -> bool | None:
    """What `[]` gives to `__getitem__`; another parameter is what calls give it."""
    is_index = frame.scope.name == "__getitem__" and frame.given(given.name) is None
    return True if is_index else None


def _signed(slice_: Slice[bool], made: ex.Unary, frame: CallContext) -> bool:
    return made.operator in ("-", "+") and slice_.of(made.operand, frame)


def _operands(slice_: Slice[bool], made: ex.Binary, frame: CallContext) -> bool:
    return slice_.of(made.left, frame) and slice_.of(made.right, frame)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    if isinstance(call.function, ex.Attribute) and call.name in ("item", "tolist"):
        return call.name == "item" or slice_.of(call.function.value, frame)
    return True if WHOLE_NUMBERS & set(library_callees(slice_.context, call)) else None


def _counted(slice_: Slice[bool], element: ex.Element, frame: CallContext) -> bool:
    """`for i in range(…)`."""
    paths = _callees(slice_, element)
    return any(path == "builtins.range" or path.endswith(".trange") for path in paths)


def _numbered(slice_: Slice[bool], item: ex.Item, frame: CallContext) -> bool | None:
    """`for i, x in enumerate(…)`."""
    paths = _callees(slice_, item.value) if item.position == 0 else ()
    return True if "builtins.enumerate" in paths else None


def _callees(slice_: Slice[bool], element: ex.Expression) -> tuple[str, ...]:
    """What makes what a loop goes through."""
    made = element.source if isinstance(element, ex.Element) else None
    return library_callees(slice_.context, made) if isinstance(made, ex.Call) else ()


def _looked_up(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool | None:
    """`self.order[i]`: one of the positions that something holds."""
    return True if slice_.of(part.index, frame) else None


_NUMBER: Question[bool] = Question(
    False,
    all,
    {
        ex.Constant: _literal,
        ex.Parameter: _parameter,
        ex.Unary: _signed,
        ex.Binary: _operands,
        ex.Call: _of_call,
        ex.Element: _counted,
        ex.Item: _numbered,
        ex.Subscript: _looked_up,
    },
)
"""Whether a value is one whole number."""
