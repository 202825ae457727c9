"""Payload: which files' contents an expression carries, and where they were read.

Only what a constructor does is asked, so calls are told apart by their frames and nothing is joined
over callers. What is not known to hand payload on drops it: a rule stays silent then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses import repetition
from dlint.analyses.callees import Targets, is_self, root_name
from dlint.analyses.object_state import file_data_calls, hdf5, unpacking
from dlint.analyses.object_state.file_data import NOTHING, Guard, Payload, Payloads, in_order
from dlint.analyses.object_state.writes import Writes, additions
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir.looked_at import plain
from dlint.ir.module import Class
from dlint.ir.walk import bindings_of
from dlint.library_facts.readers import (
    HANDLE_PARTS,
    PAYLOAD_ATTRIBUTES,
    READING_ATTRIBUTES,
    SLICED,
    Kind,
)
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_DEPTH = 150
_BUDGET = 20_000
_LIMIT = 64
"""More ways than this for payload to come to one place are not told apart."""


class DataTaint:
    """Asks what expressions carry, for objects of one class under construction.

    `activations` are the frames of the methods that run on the object.
    """

    def __init__(self, context: AnalysisContext, cls: Class) -> None:
        self.context = context
        self.cls = cls
        self.targets = Targets(context, cls)
        self.writes = Writes()
        self.activations: list[CallContext] = []
        self._elements: dict[ex.Expression, ex.Element] = {}
        self._known: dict[object, Payloads] = {}
        self._open: set[object] = set()
        self._missing: set[object] = set()
        self._asked = 0

    def of(self, expression: ex.Expression, frame: CallContext) -> Payloads:
        """The payload that an expression carries in one activation."""
        carry = _CARRIERS.get(plain(type(expression)))
        if carry is None:
            return NOTHING
        return self.once((expression, frame), lambda: carry(self, expression, frame))

    def union(self, expressions: Iterable[ex.Expression], frame: CallContext) -> Payloads:
        """The payload that any of some expressions carries."""
        return frozenset(p for e in expressions for p in self.of(e, frame))

    def element_of(self, iterable: ex.Expression) -> ex.Element:
        """The expression that iterating over `iterable` gives, the same each time."""
        return self._elements.setdefault(iterable, ex.Element(iterable.span, iterable))

    def once(self, key: object, compute: Callable[[], Payloads]) -> Payloads:
        """The answer to one question: empty while it is being computed, and kept when it is whole.

        An answer that rests on one still open is not kept; past `_BUDGET` there are no answers.
        """
        if key in self._known:
            self._missing |= {key} & self._open
            return self._known[key]
        if self._asked >= _BUDGET or len(self._open) > _DEPTH:
            return NOTHING
        self._asked += 1
        outer, self._missing = self._missing, set()
        self._known[key] = NOTHING
        self._open.add(key)
        found = compute()
        self._open.discard(key)
        self._missing.discard(key)
        self._known[key] = found if len(found) <= _LIMIT else NOTHING
        answer = self._known[key]
        if self._missing:
            del self._known[key]
        self._missing |= outer
        return answer

    # -- names

    def reference(self, expression: ex.Reference, frame: CallContext) -> Payloads:
        """A local name: its definition, and what was added to it since."""
        if expression.definition is not None:
            found = self.of(expression.definition.value, frame)
            return self._loaded(expression.name, found, frame) | self._added(expression.name, frame)
        outer = frame.closure
        while outer is not None and outer.scope.kind != "module":
            definitions = bindings_of(outer.scope, expression.name)
            if definitions:
                values = [d.value for d in definitions]
                return self.union(values, outer) | self._added(expression.name, outer)
            outer = outer.closure
        return NOTHING

    def _added(self, name: str, frame: CallContext) -> Payloads:
        """What a local container takes in, in its function and in those that it is handed to."""
        return self.once(("added", name, frame), lambda: self._additions(name, frame))

    def _additions(self, name: str, frame: CallContext) -> Payloads:
        here = frozenset(
            p
            for target, value, span in additions(frame.scope)
            if root_name(target) == name
            for p in self.collected(self.of(value, frame), frame, span)
        )
        handed = self.targets.handed_on(name, frame)
        return here.union(*(self._added(parameter, inner) for parameter, inner in handed))

    def _loaded(self, name: str, found: Payloads, frame: CallContext) -> Payloads:
        """`image.load()` as a statement: the handle is read from then on."""
        if all(p.kind is not Kind.IMAGE for p in found):
            return found
        for call in frame.scope.calls:
            callee = call.function
            if isinstance(callee, ex.Attribute) and callee.name == "load":
                if root_name(callee) != name:
                    continue
                return frozenset(
                    p.read_at(call, frame) if p.kind is Kind.IMAGE else p for p in found
                )
        return found

    def parameter(self, expression: ex.Parameter, frame: CallContext) -> Payloads:
        """What this call passes."""
        given = self.targets.arguments(expression.name, frame)
        return frozenset(p for each in given for p in self.of(*each))

    def attribute(self, expression: ex.Attribute, frame: CallContext) -> Payloads:
        """What was kept on the object before, or a part of the payload."""
        if is_self(expression.value, frame.scope):
            return self._stored(expression.name)
        name, found = expression.name, set()
        for p in self.of(expression.value, frame):
            if p.kind is Kind.PAYLOAD:
                found |= {p} if name in PAYLOAD_ATTRIBUTES else set()
            elif name in READING_ATTRIBUTES.get(p.kind, ()):
                found.add(p.read_at(expression, frame, whole=True))
            elif name in HANDLE_PARTS.get(p.kind, ()):
                found.add(p)
        return frozenset(found)

    def _stored(self, name: str) -> Payloads:
        return self.once(
            ("stored", name),
            lambda: frozenset(
                p for frame in self.activations for kept, p, _ in self.keeps(frame) if kept == name
            ),
        )

    def keeps(self, frame: CallContext) -> Iterator[tuple[str, Payload, Span]]:
        """What one activation keeps on its object: the attribute, the payload, and where."""
        for write in self.writes.of(frame):
            found = self.of(write.value, write.frame)
            if write.inside:
                found = self.collected(found, frame, write.span)
            for p in in_order(found):
                yield write.attribute, p, write.span

    def collected(self, found: Payloads, frame: CallContext, span: Span) -> Payloads:
        """Payload that a container takes in at `span`, in this activation or its callers' loops."""
        return frozenset(self._collected(p, frame, span) for p in found)

    def _collected(self, payload: Payload, frame: CallContext, span: Span) -> Payload:
        current: CallContext | None = frame
        while current is not None:
            place = payload.within(current)
            if place is not None and repetition.share_loop(current.scope, place, span):
                around = set(repetition.repeating_loops(current.scope, place))
                inner = set(repetition.repeating_loops(current.scope, span)) - around
                parts = payload.parts or bool(inner)
                return replace(payload, many=True, joined=False, parts=parts)
            if current.call is None:
                return payload
            span, current = current.call.span, current.caller
        return payload

    # -- parts

    def subscript(self, expression: ex.Subscript, frame: CallContext) -> Payloads:
        """Items and slices; of HDF5 data sets these are what reads."""
        index, found = expression.index, set[Payload | None]()
        displayed = _displayed(expression)
        if displayed is not None:
            return self.of(displayed, frame)
        for p in self.of(expression.value, frame):
            if p.kind is Kind.PAYLOAD:
                found.add(_part(p, index))
            elif p.kind is Kind.ARCHIVE:
                found.add(_part(replace(p, kind=Kind.PAYLOAD), index))
            elif p.kind is Kind.HDF5:
                found.add(hdf5.item(p, expression, frame))
            elif p.group and not isinstance(index, ex.Slice | ex.Sequence):
                found.add(replace(p, group=False))
            elif (p.kind in SLICED and isinstance(index, ex.Slice | ex.Sequence)) or (
                p.kind is Kind.DATASET and repetition.counts(index)
            ):
                found.add(p.read_at(expression, frame))
        known = frozenset(p for p in found if p is not None)
        return known or file_data_calls.of_dataset(self, expression, frame)

    def element(self, expression: ex.Element, frame: CallContext) -> Payloads:
        """What iterating gives: keys of HDF5 files, lines of files, samples of data sets."""
        found = set()
        for p in self.of(expression.iterable, frame):
            if p.kind is Kind.DATASET:
                found.add(replace(p.read_at(expression, frame), many=True))
            elif p.kind is Kind.PAYLOAD:
                found.add(replace(p, packed=False))
        return frozenset(found)

    def item(self, expression: ex.Item, frame: CallContext) -> Payloads:
        """One part of an unpacked value."""
        if expression.starred:
            return self.of(expression.value, frame)
        return unpacking.position(self, expression.value, expression.position, frame)

    # -- choices and displays

    def conditional(self, expression: ex.Conditional, frame: CallContext) -> Payloads:
        """Both sides; what only one of them carries is under its guard."""
        sides = [self.of(side, frame) for side in (expression.then, expression.otherwise)]
        both = sides[0] & sides[1]
        return both | {
            replace(p, guards=p.guards | {Guard(expression.test, truth, frame)})
            for side, truth in zip(sides, (True, False), strict=True)
            for p in side - both
        }

    def comprehension(self, expression: ex.Comprehension, frame: CallContext) -> Payloads:
        """What its element reads is read once for each turn."""
        few = all(repetition.is_few(i, frame.scope) for i in expression.iterables)
        found = set()
        for p in self.of(expression.element, frame):
            place = p.within(frame)
            turns = place is not None and repetition.contains(expression.element.span, place)
            found.add(replace(p, many=True, joined=False) if turns and not few else p)
        return frozenset(found)

    def binary(self, expression: ex.Binary, frame: CallContext) -> Payloads:
        """Arithmetic; adding a list to a list is collecting."""
        found = self.union((expression.left, expression.right), frame)
        if expression.operator == "+" and _is_listing(expression.right):
            return self.collected(found, frame, expression.span)
        return found

    def call(self, expression: ex.Call, frame: CallContext) -> Payloads:
        """Readers, and what hands payload on."""
        return file_data_calls.of(self, expression, frame)


def _displayed(expression: ex.Subscript) -> ex.Expression | None:
    """The value that a dict display gives for a constant key."""
    value, index = expression.value, expression.index
    if isinstance(value, ex.Reference) and value.definition is not None:
        value = value.definition.value
    if isinstance(value, ex.Mapping) and isinstance(index, ex.Constant):
        for key, item in value.items:
            if isinstance(key, ex.Constant) and key.value == index.value:
                return item
    return None


def _part(payload: Payload, index: ex.Expression) -> Payload | None:
    """A part of what was read; one item of many is not many."""
    if not isinstance(index, ex.Constant):
        return replace(payload, piece=payload.piece or (_cuts(index) and not payload.many))
    if isinstance(index.value, str):
        return replace(payload, key=index.value)
    if payload.packed:
        return replace(payload, packed=False) if index.value == 0 else None
    piece = payload.piece or not payload.many
    return replace(payload, many=payload.many and payload.joined, piece=piece)


def _cuts(index: ex.Expression) -> bool:
    """Whether an index takes the first of a known number: `[:1]`, `[0, :]`."""
    match index:
        case ex.Sequence(items=(first, *_)):
            return isinstance(first, ex.Constant) or _cuts_off(first)
    return _cuts_off(index)


def _cuts_off(index: ex.Expression) -> bool:
    stop = index.bounds[1] if isinstance(index, ex.Slice) else None
    return isinstance(stop, ex.Constant) and isinstance(stop.value, int) and stop.value > 0


def _is_listing(expression: ex.Expression) -> bool:
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        expression = expression.definition.value
    if isinstance(expression, ex.Call):
        return expression.name in ("list", "tuple")
    return isinstance(expression, ex.Sequence | ex.Comprehension)


def _inside(name: str) -> Callable[[DataTaint, ex.Expression, CallContext], Payloads]:
    return lambda carriers, e, frame: carriers.of(getattr(e, name), frame)


def _each(name: str) -> Callable[[DataTaint, ex.Expression, CallContext], Payloads]:
    return lambda carriers, e, frame: carriers.union(getattr(e, name), frame)


def _mapping(carriers: DataTaint, expression: ex.Mapping, frame: CallContext) -> Payloads:
    return carriers.union((value for _, value in expression.items), frame)


def _boolean(carriers: DataTaint, expression: ex.Boolean, frame: CallContext) -> Payloads:
    guard = Guard(expression.left, expression.operator == "and", frame)
    right = carriers.of(expression.right, frame)
    return carriers.of(expression.left, frame) | {
        replace(p, guards=p.guards | {guard}) for p in right
    }


_CARRIERS: dict[type, Callable[..., Payloads]] = {
    ex.Reference: DataTaint.reference,
    ex.Parameter: DataTaint.parameter,
    ex.Attribute: DataTaint.attribute,
    ex.Subscript: DataTaint.subscript,
    ex.Element: DataTaint.element,
    ex.Item: DataTaint.item,
    ex.Conditional: DataTaint.conditional,
    ex.Comprehension: DataTaint.comprehension,
    ex.Binary: DataTaint.binary,
    ex.Call: DataTaint.call,
    ex.Boolean: _boolean,
    ex.Mapping: _mapping,
    ex.Sequence: _each("items"),
    ex.Join: _each("alternatives"),
    ex.Unary: _inside("operand"),
    ex.Starred: _inside("value"),
    ex.Entered: _inside("value"),
    ex.Await: _inside("value"),
}
