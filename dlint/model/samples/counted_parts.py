"""Parts of samples with a row for each object in a picture, so that their length differs.

Question: is a tensor made of a list that has as many elements as a library's target, or a file, has
objects, or a text has words? Sources: targets of torchvision's data sets of that kind, annotations
that pycocotools loads, elements that `xml` finds; lists within what `json` loads that are gone
through one by one, words that are looked up in a table, and rows of a group of pandas, all of which
may always be as many.
Followed: the steps of a backward slice, lists and comprehensions over a source, lists that a loop
over one fills, conversions that keep the number of rows. Anything that cuts or pads, and whatever
is not known, is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.result_parts import result_items
from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Severity
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts import collation as known
from dlint.model.samples.row_groups import are_rows
from dlint.model.samples.sample_parts import Located, leaves, reached
from dlint.semantics.values.values import NONE, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.semantics.calls.call_contexts import CallContext

Counted = tuple[Located, str, Severity]
"""A part of a sample, what it counts, and how sure it is that their number differs."""


def counted_parts(context: AnalysisContext, cls: Class) -> Iterator[Counted]:
    """The tensors of samples whose number of rows is that of objects."""
    method = context.solver.classes.method(cls, "__getitem__")
    if method is None:
        return
    root = context.solver.root(method)
    for item in (item for items in result_items(method) for item in items):
        if not any(_is_given(context, *part) for part in reached(context, [(item, root)])):
            yield from _counted(context, leaves(context, [(item, root)]))


def _counted(context: AnalysisContext, parts: Iterator[Located]) -> Iterator[Counted]:
    for part in parts:
        if isinstance(ex.unnamed(part[0]), ex.Call | ex.Subscript | ex.Binary | ex.Item):
            found = Slice(context, _QUESTION).of(*part)
            if found:
                yield part, found.lstrip(_LIKELY + _PERHAPS), _SEVERITIES.get(found[0], _SURE)


def _is_given(context: AnalysisContext, part: ex.Expression, frame: CallContext) -> bool:
    """Whether a part may come of what an attribute holds that is called: `self.transform(…)`."""
    made = ex.unpacked(ex.unnamed(part))
    made = made.value if isinstance(made, ex.Item) else made
    callee = made.function if isinstance(made, ex.Call) else None
    if not isinstance(callee, ex.Attribute) or not is_self(callee.value, frame.scope):
        return False
    values = context.solver.values(callee, frame)
    return not any(isinstance(v, Method) for v in values) and not values <= {NONE}


_LIKELY, _PERHAPS = "?~"
"""Mark what a file holds that the project brings along: it may always be the same number."""
_SURE = Severity.ERROR
_SEVERITIES = {_LIKELY: Severity.WARNING, _PERHAPS: Severity.INFO}
_OF_FILE, _OF_TEXT = f"{_PERHAPS}items of a file", f"{_PERHAPS}words of a text"
_OF_TABLE = f"{_PERHAPS}rows of a group"


def _same(found: Sequence[str]) -> str:
    return found[0] if len(set(found)) == 1 else ""


# -- the transfer table


def _of_display(slice_: Slice[str], display: ex.Sequence, frame: CallContext) -> str:
    """An empty list that a loop over objects fills."""
    if display.items or display.kind != "list":
        return ""
    names = {d.name for d in frame.scope.definitions if ex.unpacked(d.value) is display}
    for call in frame.scope.calls:
        callee = call.function
        if call.name not in ("append", "extend") or not isinstance(callee, ex.Attribute):
            continue
        if isinstance(callee.value, ex.Reference) and callee.value.name in names:
            loops = list(walk.enclosing_loops(call.statement))
            return _of_loop(slice_, loops[0], frame) if loops else ""
    return ""


def _of_loop(slice_: Slice[str], loop: Loop, frame: CallContext) -> str:
    return "" if loop.iterable is None else _gone_through(slice_, loop.iterable, frame)


def _gone_through(slice_: Slice[str], iterable: ex.Expression, frame: CallContext) -> str:
    """What is gone through one by one: of what a file holds, a list and not a matrix or vector."""
    is_listed = Slice(slice_.context, _LISTED).of(iterable, frame)
    return _OF_FILE if is_listed else slice_.of(iterable, frame)


def _of_comprehension(slice_: Slice[str], made: ex.Comprehension, frame: CallContext) -> str:
    if made.kind != "list":
        return ""
    element, iterable = made.element, made.iterables[0]
    index = ex.unnamed(element.index) if isinstance(element, ex.Subscript) else None
    looks_up = isinstance(index, ex.Element) and index.iterable is iterable
    if looks_up and Slice(slice_.context, _SPLIT).of(iterable, frame):
        return _OF_TEXT
    return _gone_through(slice_, iterable, frame)


def _of_subscript(slice_: Slice[str], part: ex.Subscript, frame: CallContext) -> str:
    """Columns keep the rows; `sample[1]` of a library's data set is its target."""
    if _is_target(part.index):
        return _of_target(slice_, part.value, frame)
    if are_rows(slice_.context, part, frame):
        return _OF_TABLE
    parts = part.index.items if isinstance(part.index, ex.Sequence) else ()
    first = parts[0] if parts else None
    whole = isinstance(first, ex.Slice) and first.bounds == (None, None, None)
    return slice_.of(part.value, frame) if whole else ""


def _is_target(index: ex.Expression) -> bool:
    number = ex.constant(index)
    return number is not None and number.value in (1, -1)


def _loads(slice_: Slice[bool], call: ex.Call, _: CallContext) -> bool | None:
    return True if set(library_callees(slice_.context, call)) & known.PARSING else None


def _within(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool:
    return slice_.of(part.value, frame)


def _has_key(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool:
    key = ex.constant(part.index)
    if key is None or not isinstance(key.value, str):
        return False
    return Slice(slice_.context, _LOADED).of(part.value, frame)


def _splits(_: Slice[bool], call: ex.Call, __: CallContext) -> bool | None:
    by_method = isinstance(call.function, ex.Attribute) and call.name == "split"
    return True if by_method and not call.arguments else None


_LOADED: Question[bool] = Question(False, all, {ex.Call: _loads, ex.Subscript: _within})
"""Whether a value stands within what a parser of JSON gives."""
_LISTED: Question[bool] = Question(False, all, {ex.Subscript: _has_key})
"""Whether a value stands under a key within that."""
_SPLIT: Question[bool] = Question(False, all, {ex.Call: _splits})
"""Whether a value is the words of a text."""


def _of_item(slice_: Slice[str], item: ex.Item, frame: CallContext) -> str | None:
    """`image, target = super().__getitem__(index)`."""
    if item.position != 1 or item.starred:
        return None
    if are_rows(slice_.context, item, frame):
        return _OF_TABLE
    return _of_target(slice_, item.value, frame) or None


def _of_target(slice_: Slice[str], sample: ex.Expression, frame: CallContext) -> str:
    call = ex.unnamed(sample)
    callee = call.function if isinstance(call, ex.Call) else None
    owner = frame.scope.owner
    if not isinstance(callee, ex.Attribute) or callee.name != "__getitem__" or owner is None:
        return ""
    above = callee.value
    if not isinstance(above, ex.Call) or above.name != "super":
        return ""
    bases = slice_.context.solver.classes.externals(owner)
    return next((known.COUNTED[path] for path in bases if path in known.COUNTED), "")


def _of_call(slice_: Slice[str], call: ex.Call, frame: CallContext) -> str | None:
    paths = set(library_callees(slice_.context, call))
    callee = call.function
    if isinstance(callee, ex.Attribute) and call.name in known.FINDING:
        made = [path.startswith(known.FOUND_IN[call.name]) for path in paths]
        return known.FINDING[call.name] if any(made) else None
    if are_rows(slice_.context, call, frame):
        return _OF_TABLE
    first = written(call, 0, "data")
    if paths & known.CONVERTING:
        return "" if first is None else slice_.of(first, frame)
    if isinstance(callee, ex.Attribute) and call.name in known.KEEPING_ROWS:
        entered = any(True for _ in steps(slice_.context, call, frame))
        shaped = call.name in ("reshape", "view") and not _is_minus_one(first)
        return "" if entered or shaped else slice_.of(callee.value, frame)
    return None


def _of_attribute(slice_: Slice[str], part: ex.Attribute, frame: CallContext) -> str | None:
    return _OF_TABLE if are_rows(slice_.context, part, frame) else None


def _is_minus_one(shape: ex.Expression | None) -> bool:
    if isinstance(shape, ex.Sequence) and shape.items:
        shape = shape.items[0]
    return isinstance(shape, ex.Unary) and shape.operator == "-"


_QUESTION: Question[str] = Question(
    "",
    _same,
    {
        ex.Sequence: _of_display,
        ex.Comprehension: _of_comprehension,
        ex.Subscript: _of_subscript,
        ex.Item: _of_item,
        ex.Attribute: _of_attribute,
        ex.Call: _of_call,
    },
)
"""What the rows of a value are, as many as there are; empty where that is not known."""
