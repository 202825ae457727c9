"""Hugging Face: streams without a length, and the trainers and configurations that they come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Located, Question, Slice, steps
from dlint.analyses.binding import Bound, bind_to
from dlint.analyses.calls import constructions_of, library_callees
from dlint.analyses.constructions import constructed
from dlint.analyses.lists import listed_items
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.library_facts import hugging_face as known
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import ClassObject

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class


class Data(Enum):
    """What training data may be that have no length."""

    STREAM = "a stream"
    SPLITS = "a dict of streams"
    NOTHING = "None"


class Training(NamedTuple):
    """A trainer that is made, in one activation of the function that makes it."""

    call: ex.Call
    given: Bound


def trainings(context: AnalysisContext) -> tuple[Training, ...]:
    """The trainers of transformers and trl, and of subclasses, with what their base is given."""
    return tuple(_trainings(context))


def _trainings(context: AnalysisContext) -> Iterator[Training]:
    for call in constructions_of(context, *known.TRAINERS):
        root = context.solver.root(call.scope)
        for frame in context.evaluator.callers(call.scope) or [root]:
            given = constructed(context, call, frame, known.TRAINERS)
            if given is not None:
                yield Training(call, given)


# -- configurations

Made = frozenset[Located] | None


def configurations(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> frozenset[Located]:
    """The calls that make a configuration, each in its activation; none where it is not known."""
    return Slice(context, _CONFIGURATION).of(expression, frame) or frozenset()


def _all_made(found: Sequence[Made]) -> Made:
    return None if None in found else frozenset().union(*(one for one in found if one is not None))


def _of_making(slice_: Slice[Made], call: ex.Call, frame: CallContext) -> Made:
    context = slice_.context
    values = context.solver.values(call.function, frame)
    own = [value.cls for value in values if isinstance(value, ClassObject)]
    derived = bool(own) and len(own) == len(values) and all(_is_plain(context, c) for c in own)
    paths = library_callees(context, call)
    if derived or (paths and known.ARGUMENTS.issuperset(paths)):
        return frozenset({(call, frame)})
    return None


def _is_plain(context: AnalysisContext, cls: Class) -> bool:
    """Whether a project's subclass leaves `max_steps` and the constructor as they are."""
    classes = context.solver.classes
    if not known.ARGUMENTS & set(classes.externals(cls)) or not classes.is_whole(cls):
        return False
    own = classes.ancestors(cls)
    fields = {field.name for ancestor in own for field in ancestor.fields}
    changed = any("__init__" in c.methods or "__post_init__" in c.methods for c in own)
    return "max_steps" not in fields and not changed


_CONFIGURATION: Question[Made] = Question(None, _all_made, {ex.Call: _of_making})


# -- data

Kind = Data | None
"""None where it is not known, or where it has a length."""


def kind_of_data(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Data | None:
    """What an expression certainly is; None where it may have a length."""
    return Slice(context, _DATA).of(expression, frame)


def _alike(found: Sequence[Kind]) -> Kind:
    """The join: the training data may be None where there is no training."""
    kinds = {one for one in found if one is not Data.NOTHING}
    return (kinds.pop() if len(kinds) == 1 else None) if kinds else Data.NOTHING


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> Kind:
    return Data.NOTHING if constant.value is None else None


def _of_subscript(slice_: Slice[Kind], subscript: ex.Subscript, frame: CallContext) -> Kind:
    found = slice_.of(subscript.value, frame)
    if found is Data.SPLITS:
        return Data.STREAM
    parts = _items(slice_.context, subscript, frame)
    return slice_.joined(parts) if parts else None


def _items(context: AnalysisContext, subscript: ex.Subscript, frame: CallContext) -> list[Located]:
    """`{"train": a, "test": b}["train"]`."""
    display = origin_of(subscript.value)
    key = ex.constant(subscript.index)
    if not isinstance(display, ex.Mapping) or key is None:
        return []
    return [(v, frame) for k, v in display.items if (c := ex.constant(k)) and c.value == key.value]


def _of_item(slice_: Slice[Kind], item: ex.Item, frame: CallContext) -> Kind:
    """`train, test = load()`: that part of each pair which the function returns."""
    returned = [*steps(slice_.context, item.value, frame)]
    displays = [(origin_of(value), where) for value, where in returned]
    if not displays or item.starred or not isinstance(item.value, ex.Call):
        return None
    parts = [
        (display.items[item.position], where)
        for display, where in displays
        if isinstance(display, ex.Sequence)
        and 0 <= item.position < len(display.items)
        and not any(isinstance(part, ex.Starred) for part in display.items)
    ]
    return slice_.joined(parts) if len(parts) == len(displays) else None


def _of_call(slice_: Slice[Kind], call: ex.Call, frame: CallContext) -> Kind:
    context = slice_.context
    paths = set(library_callees(context, call))
    if paths and paths <= known.LOADERS:
        return _loaded(context, call, frame)
    if paths and paths <= known.MAKERS:
        return Data.STREAM
    if paths and paths <= known.JOINING | known.PART:
        return _handed_on(slice_, call, frame)
    callee = call.function
    if isinstance(callee, ex.Attribute) and callee.name in known.CHAINS:
        return slice_.of(callee.value, frame)
    if callee_name(call) == known.CONVERSION and not steps_into(context, call, frame):
        return Data.STREAM
    values = context.solver.values(callee, frame)
    own = [value.cls for value in values if isinstance(value, ClassObject)]
    unsized = bool(own) and len(own) == len(values) and all(_is_unsized(context, c) for c in own)
    return Data.STREAM if unsized else None


def callee_name(call: ex.Call) -> str | None:
    """The name of the method that a call calls."""
    return call.function.name if isinstance(call.function, ex.Attribute) else None


def steps_into(context: AnalysisContext, call: ex.Call, frame: CallContext) -> bool:
    """Whether a call enters a function of the project."""
    return any(True for _ in steps(context, call, frame))


def _loaded(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Kind:
    """`load_dataset(…, streaming=True)`, with or without a split."""
    passed = CallArguments.of(call.arguments, frame)
    bound = bind_to(context, passed, library_signature(known.LOADER_PARAMETERS))
    if any(not a.is_true for a in bound.alternatives("streaming")):
        return None
    splits = bound.alternatives("split")
    return Data.SPLITS if all(a.is_nothing for a in splits) else Data.STREAM


def _handed_on(slice_: Slice[Kind], call: ex.Call, frame: CallContext) -> Kind:
    """A list of streams joined to one, or a part of one.

    Some items of a list tell what all are: joining streams and data with a length raises.
    """
    passed = CallArguments.of(call.arguments, frame)
    given = bind_to(slice_.context, passed, library_signature(("dsets",))).located("dsets")
    if given is None:
        given = bind_to(slice_.context, passed, library_signature(("datasets",))).located(
            "datasets"
        )
    if given is None:
        return None
    display = origin_of(given[0])
    items = [*listed_items(slice_.context, *given)]
    if not items and isinstance(display, ex.Sequence):
        items = [(part, given[1]) for part in display.items]
    return slice_.joined(items) if items else slice_.of(*given)


def _is_unsized(context: AnalysisContext, cls: Class) -> bool:
    """Whether the objects of a class are streams of torch that do not say how long they are."""
    classes = context.solver.classes
    bases = classes.externals(cls)
    streams = {base for base in bases if base.endswith("IterableDataset")}
    return (
        bool(streams)
        and known.STREAM_BASES.issuperset(bases)
        and classes.is_whole(cls)
        and classes.method(cls, "__len__") is None
    )


_DATA: Question[Kind] = Question(
    None,
    _alike,
    {
        ex.Constant: _of_constant,
        ex.Subscript: _of_subscript,
        ex.Item: _of_item,
        ex.Call: _of_call,
    },
)
