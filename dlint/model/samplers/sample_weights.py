"""Weights of a `WeightedRandomSampler`: what they have an entry for.

Questions: have weights one entry for each class, or for each sample, and then of which data set?
Classes: what is computed from counts of classes, or written out item by item. Samples: what is
looked up by the labels of a data set, or gone through with them. Arithmetic and conversions keep
the entries, indexing takes those of the index. Given up on: whatever no table knows, lists that are
made longer, and what has several origins that differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, Question, Slice, steps
from dlint.analyses.object_state.attribute_defaults import may_be_of
from dlint.analyses.object_state.sample_access import takes_by_index
from dlint.analyses.resizing import is_resized
from dlint.analyses.value_parts import origin_of, origin_over_calls
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir.module import Scope, Store
from dlint.ir.walk import bindings_of
from dlint.library_facts import weights as facts
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, Instance, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

CLASSES = "counts of classes"
LISTED = "a written list"
_NEITHER = ""
_SCALING = frozenset({"/", "//", "*", "**", "+", "-"})
_LISTS = ("list", "tuple")
_PROPERTIES = frozenset({"property", "cached_property"})

Source = Value | ex.Definition | Store | ex.Expression
Sources = frozenset[Source]
"""What weights follow: a data set, or the name of the labels that they are looked up by.

A name is what it is bound to; an attribute is the one write to it; a data set that is not told from
others of its class is the expression that makes it.
"""


def entries(context: AnalysisContext, weights: ex.Expression, frame: CallContext) -> str:
    """What weights have an entry for: `CLASSES`, `LISTED` ones, or nothing that is known."""
    return Slice(context, _ENTRIES).of(weights, frame)


def sources(context: AnalysisContext, weights: ex.Expression, frame: CallContext) -> Sources:
    """The data sets, or names of labels, of which weights have an entry for each sample."""
    return Slice(context, _SOURCES).of(weights, frame)


def _operands(call: ex.Call) -> list[ex.Expression]:
    """What a call works on: the object that it is a method of, and what it is given."""
    receiver = [call.function.value] if isinstance(call.function, ex.Attribute) else []
    return [*receiver, *positional(call)]


def _is_list(expression: ex.Expression) -> bool:
    """Whether `+` and `*` make a longer list of it."""
    origin = origin_of(expression)
    by_call = isinstance(origin, ex.Call) and origin.name in (*_LISTS, "tolist", "to_list")
    return by_call or isinstance(origin, ex.Sequence | ex.Comprehension)


# -- classes


def _one_of(kinds: Sequence[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else _NEITHER


def _strongest(kinds: Sequence[str]) -> str:
    return next((k for k in (CLASSES, LISTED) if k in kinds), _NEITHER)


def _of_name(slice_: Slice[str], name: ex.Reference, frame: CallContext) -> str | None:
    """A list that is made longer has other entries than are written; a counter keeps its kind."""
    if not is_resized(name.name, [frame.scope]):
        return None
    found = slice_.joined(steps(slice_.context, name, frame))
    return CLASSES if found == CLASSES else _NEITHER


def _of_display(slice_: Slice[str], display: ex.Sequence, frame: CallContext) -> str:
    fixed = not any(isinstance(item, ex.Starred) for item in display.items)
    return LISTED if display.items and fixed and display.kind in _LISTS else _NEITHER


def _of_arithmetic(slice_: Slice[str], binary: ex.Binary, frame: CallContext) -> str:
    sides = (binary.left, binary.right)
    if binary.operator not in _SCALING or any(map(_is_list, sides)):
        return _NEITHER
    return _strongest([slice_.of(side, frame) for side in sides])


def _of_call(slice_: Slice[str], call: ex.Call, frame: CallContext) -> str | None:
    if call.name in facts.COUNTING:
        return CLASSES
    if call.name == "range":
        return _strongest([_of_count(slice_, end, frame) for end in positional(call)])
    known = facts.CONVERTING | facts.ELEMENTWISE | facts.REORDERING | facts.VIEWS
    if call.name not in known:
        return None
    return _strongest([slice_.of(part, frame) for part in _operands(call)])


def _of_count(slice_: Slice[str], number: ex.Expression, frame: CallContext) -> str:
    """Whether a number is how many classes there are: `len(counts)`."""
    number = origin_of(number)
    if not isinstance(number, ex.Call) or number.name != "len":
        return _NEITHER
    return _strongest([slice_.of(part, frame) for part in positional(number)])


def _of_comprehension(slice_: Slice[str], made: ex.Comprehension, frame: CallContext) -> str:
    """`[1 / count for count in counts]`, with an entry for each element."""
    if len(made.iterables) != 1 or made.conditions:
        return _NEITHER
    return _strongest([slice_.of(part, frame) for part in made.iterables])


def _of_mapping(slice_: Slice[str], made: ex.Mapping, frame: CallContext) -> str:
    return LISTED if made.items and all(key is not None for key, _ in made.items) else _NEITHER


def _of_attribute(slice_: Slice[str], part: ex.Attribute, frame: CallContext) -> str | None:
    """`counts.values` of pandas."""
    return slice_.of(part.value, frame) if part.name == "values" else None


def _of_item(slice_: Slice[str], item: ex.Item, frame: CallContext) -> str | None:
    """`_, counts = np.unique(labels, return_counts=True)`."""
    return CLASSES if _counts(item.value) else None


def _of_index(slice_: Slice[str], part: ex.Subscript, frame: CallContext) -> str | None:
    """`np.unique(labels, return_counts=True)[1]`; other indices look up."""
    return CLASSES if _counts(part.value) and isinstance(part.index, ex.Constant) else None


def _counts(expression: ex.Expression) -> bool:
    """Whether it is `unique(…)` that gives the values and their counts, and no more."""
    made = origin_of(expression)
    if not isinstance(made, ex.Call) or made.name != "unique":
        return False
    others = (written(made, None, name) for name in ("return_inverse", "return_index"))
    return not any(others)


_ENTRIES: Question[str] = Question(
    _NEITHER,
    _one_of,
    {
        ex.Reference: _of_name,
        ex.Sequence: _of_display,
        ex.Binary: _of_arithmetic,
        ex.Call: _of_call,
        ex.Comprehension: _of_comprehension,
        ex.Mapping: _of_mapping,
        ex.Attribute: _of_attribute,
        ex.Item: _of_item,
        ex.Subscript: _of_index,
    },
)
"""Whether weights have an entry for each class, or for each item of a display."""


# -- samples

_NOTHING: Sources = frozenset()


def _common(found: Sequence[Sources]) -> Sources:
    return frozenset.intersection(*found)


def _any(slice_: Slice[Sources], parts: Sequence[ex.Expression], frame: CallContext) -> Sources:
    return frozenset().union(*(slice_.of(part, frame) for part in parts))


def _by_name(slice_: Slice[Sources], name: ex.Reference, frame: CallContext) -> Sources:
    """A name stands for itself, for the data set that it denotes, and for what it is bound to."""
    values = slice_.context.solver.values(name, frame)
    made = [value for value in values if isinstance(value, AllocationSite)]
    found: set[Source] = set(made) if len(values) == len(made) == 1 else set()
    if name.definition is not None:
        found.add(name.definition)
        if not isinstance(name.definition.value, ex.Element):
            found |= slice_.of(name.definition.value, frame)
    return frozenset(found)


def _by_attribute(slice_: Slice[Sources], part: ex.Attribute, frame: CallContext) -> Sources | None:
    """`data.targets`, and what a class of the project takes its samples from."""
    context = slice_.context
    if part.name in ("values", "indices"):
        return slice_.of(part.value, frame) if part.name == "values" else _NOTHING
    values = context.solver.values(part.value, frame)
    value = next(iter(values)) if len(values) == 1 else None
    store = kept_once(context, part, frame)
    if store is not None:
        behind = slice_.of(store.value, context.solver.root(store.scope))
        return frozenset({store}) | behind | _data_set(context, part, frame)
    if any(attributes.written_on_self(s) is None for s in _writes(context, part, frame)):
        return _NOTHING
    getter = _getter(context, value, part.name)
    if getter is not None:
        root = context.solver.root(getter)
        found = slice_.joined((result, root) for result in getter.returns)
        return _of_owner(context, found, getter, (part.value, frame))
    if not isinstance(value, AllocationSite):
        return None
    cls = attributes.project_class(value)
    known = part.name in facts.PER_SAMPLE
    if cls is not None and takes_by_index(context, cls, part.name):
        known = True
    return frozenset({value}) if known else None


def _getter(context: AnalysisContext, owner: Value | None, name: str) -> Scope | None:
    """The property of an object of the project that a read of its attribute runs."""
    cls = None if owner is None else attributes.project_class(owner)
    method = None if cls is None else context.solver.classes.method(cls, name)
    if method is None or method.yields or not attributes.decorators(method) & _PROPERTIES:
        return None
    return method


def _of_owner(context: AnalysisContext, found: Sources, method: Scope, owner: Located) -> Sources:
    """What a method gives has an entry for each sample of its object: that is told by its maker."""
    own = {d.value for d in bindings_of(method, method.parameters[0].name)}
    is_of_object = not own.isdisjoint(found)
    return found | {maker_of(context, *owner)} if is_of_object else found


def _data_set(context: AnalysisContext, part: ex.Attribute, frame: CallContext) -> Sources:
    """What makes the data set that takes its samples from this attribute, by index."""
    classes = [attributes.project_class(v) for v in context.solver.values(part.value, frame)]
    taken = [cls is not None and takes_by_index(context, cls, part.name) for cls in classes]
    return frozenset({maker_of(context, part.value, frame)}) if all(taken) else _NOTHING


def maker_of(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> ex.Expression:
    """What makes an object: behind names, parameters, and attributes that are written once."""
    seen = set[ex.Expression]()
    while expression not in seen:
        seen.add(expression)
        expression, frame = origin_over_calls(context, expression, frame)
        store = kept_once(context, expression, frame)
        if store is not None:
            expression, frame = store.value, context.solver.root(store.scope)
    return expression


def kept_once(context: AnalysisContext, part: ex.Expression, frame: CallContext) -> Store | None:
    """The one write to an attribute of an object that is no data set, but may hold the labels."""
    if not isinstance(part, ex.Attribute):
        return None
    stores = _writes(context, part, frame)
    is_own = len(stores) == 1 and attributes.written_on_self(stores[0]) is not None
    return stores[0] if is_own else None


def _writes(context: AnalysisContext, part: ex.Attribute, frame: CallContext) -> list[Store]:
    """What may be written to an attribute of an object that is no data set, by its class."""
    values = context.solver.values(part.value, frame)
    classes = {attributes.project_class(v) for v in values if isinstance(v, Instance)}
    cls = next(iter(classes)) if len(classes) == len(values) == 1 else None
    if cls is None:
        return []
    return [s for s in context.project.writing(part.name) if may_be_of(context, s, cls)]


def _by_index(slice_: Slice[Sources], part: ex.Subscript, frame: CallContext) -> Sources:
    """`weights[labels]` has an entry for each label, `table["label"]` one for each row."""
    index = part.index
    if isinstance(index, ex.Sequence) and index.kind == "tuple" and index.items:
        first = index.items[0]
        whole = isinstance(first, ex.Slice) and not any(first.bounds)
        return slice_.of(part.value, frame) if whole else _NOTHING
    if isinstance(index, ex.Constant):
        is_column = isinstance(index.value, str) or _holds_tensors(part.value)
        return slice_.of(part.value, frame) if is_column else _NOTHING
    return _NOTHING if isinstance(index, ex.Slice) else slice_.of(index, frame)


def _holds_tensors(expression: ex.Expression) -> bool:
    return isinstance(expression, ex.Attribute) and expression.name == "tensors"


def _by_call(slice_: Slice[Sources], call: ex.Call, frame: CallContext) -> Sources | None:
    if call.name in facts.LOOKING_UP:
        return _any(slice_, positional(call)[-1:], frame)
    if call.name in facts.ALIKE | {"range", "len"}:
        return _any(slice_, positional(call)[:1], frame)
    known = facts.CONVERTING | facts.ELEMENTWISE | {"enumerate", "tqdm", "map", "replace"}
    return _any(slice_, _operands(call), frame) if call.name in known else None


def _by_arithmetic(slice_: Slice[Sources], binary: ex.Binary, frame: CallContext) -> Sources:
    sides = (binary.left, binary.right)
    lists = [side for side in map(origin_of, sides) if _is_list(side)]
    repeated = binary.operator == "*" and all(
        isinstance(side, ex.Sequence) and len(side.items) == 1 for side in lists
    )
    return _any(slice_, sides, frame) if not lists or repeated else _NOTHING


def _by_comprehension(
    slice_: Slice[Sources], made: ex.Comprehension, frame: CallContext
) -> Sources:
    if len(made.iterables) != 1 or made.conditions or made.kind not in ("list", "generator"):
        return _NOTHING
    return _any(slice_, made.iterables, frame)


_SOURCES: Question[Sources] = Question(
    _NOTHING,
    _common,
    {
        ex.Reference: _by_name,
        ex.Attribute: _by_attribute,
        ex.Subscript: _by_index,
        ex.Call: _by_call,
        ex.Binary: _by_arithmetic,
        ex.Comprehension: _by_comprehension,
    },
)
"""Of what weights have an entry for each sample."""
