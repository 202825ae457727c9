"""Groups of rows: what `table.groupby(column)` divides a table of pandas into.

Question: is a value the rows of one group, of which there are as many as the group has? Followed:
the steps of a backward slice, groups that are gone through, `get_group`, dicts of groups and of
what a comprehension makes of each, columns of rows, and arrays of them. Given up on: what is
reckoned of groups (`groups.mean()`) or of their rows, and single rows. Budget: that of the slice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import collation as known

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext


def are_rows(context: AnalysisContext, value: ex.Expression, frame: CallContext) -> bool:
    """Whether a value is the rows of one group, or columns of them, as a table or as an array."""
    return Slice(context, _ROWS).of(value, frame)


def _of_item(slice_: Slice[bool], item: ex.Item, frame: CallContext) -> bool | None:
    """`rows` of `for name, rows in groups`."""
    element = item.value
    if item.position != 1 or item.starred or not isinstance(element, ex.Element):
        return None
    return Slice(slice_.context, _GROUPS).of(element.iterable, frame)


def _of_subscript(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool | None:
    """Columns of rows, or what a dict of groups holds."""
    if _names_columns(part.index):
        return slice_.of(part.value, frame)
    return Slice(slice_.context, _BY_GROUP).of(part.value, frame) or None


def _names_columns(index: ex.Expression) -> bool:
    index = ex.unnamed(index)
    names = index.items if isinstance(index, ex.Sequence) and index.kind == "list" else (index,)
    keys = [name.value if isinstance(name, ex.Constant) else None for name in names]
    return all(isinstance(key, str) for key in keys)


def _of_attribute(slice_: Slice[bool], part: ex.Attribute, frame: CallContext) -> bool | None:
    return slice_.of(part.value, frame) if part.name == "values" else None


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    if not isinstance(call.function, ex.Attribute):
        return None
    if call.name == known.ONE_GROUP:
        return Slice(slice_.context, _GROUPS).of(call.function.value, frame)
    return slice_.of(call.function.value, frame) if call.name in known.KEEPING_RECORDS else None


def _groups(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    paths = library_callees(slice_.context, call)
    if call.name == known.GROUPING:
        return bool(paths) and all(path.startswith("pandas.") for path in paths)
    first = written(call, 0)
    holds = first is not None and bool(paths) and known.HOLDING_ITEMS.issuperset(paths)
    return slice_.of(first, frame) if first is not None and holds else None


def _dict(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    first = written(call, 0)
    if first is None or library_callees(slice_.context, call) != ("builtins.dict",):
        return None
    return Slice(slice_.context, _GROUPS).of(first, frame)


def _comprehension(slice_: Slice[bool], made: ex.Comprehension, frame: CallContext) -> bool:
    return made.kind == "dict" and are_rows(slice_.context, made.element, frame)


_GROUPS: Question[bool] = Question(False, all, {ex.Call: _groups})
"""Whether going through a value gives the names and the rows of groups."""
_BY_GROUP: Question[bool] = Question(False, all, {ex.Call: _dict, ex.Comprehension: _comprehension})
"""Whether a value is a dict with the rows of each group under its name."""
_ROWS: Question[bool] = Question(
    False,
    all,
    {
        ex.Item: _of_item,
        ex.Subscript: _of_subscript,
        ex.Attribute: _of_attribute,
        ex.Call: _of_call,
    },
)
