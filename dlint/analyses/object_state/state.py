"""Object state after construction: what an object of one class holds once it is made.

Question: which expressions, in which activation, does each attribute of a new object stand for, and
what are they: contents of files, handles, generators, objects of the project, records. The state
maps an attribute to the set of its writes, joined over all paths (no order is kept: what is
written twice holds both, and `holds` is *may*).

Followed are the constructor and all methods and functions that it calls, those of base classes
included (`super().__init__`, `Base.__init__(self)`), a dataclass's `__post_init__` and the defaults
of its fields, names of the class body, and class methods that make an object and fill it, or give
its constructor what it keeps. Calls are
told apart by their activations, `DEPTH` deep; callees are those that are known by name, by the
class of the object, or as what a parameter or an attribute holds.

Given up on are `__dict__`, `__setattr__`, metaclasses, and what is written from outside when the
object is made already. Budgets: 20,000 questions of an object about file data, 300 expressions for
one question where something comes from; past them nothing is said to be held.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.callees import Targets, method_scope
from dlint.analyses.control.call_paths import only_way_to
from dlint.analyses.object_state.data_taint import DataTaint
from dlint.analyses.object_state.file_names import is_named
from dlint.analyses.object_state.kinds import KINDS, HeldKind
from dlint.analyses.object_state.origins import Origin, Origins, Question
from dlint.analyses.object_state.parts import Part, parts_of_write
from dlint.analyses.object_state.records import HeldRecords
from dlint.analyses.object_state.sample_access import takes_by_key
from dlint.analyses.object_state.writes import Write, makes_object
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.library_facts.readers import ARCHIVES, ARRAYS, Kind
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.libraries.declared import is_dataclass
from dlint.semantics.values.values import External, Instance, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.file_data import Payload
    from dlint.library_facts.records import Records

_CLASS_METHODS = frozenset({"classmethod", "staticmethod"})


class Held(NamedTuple):
    """One thing of a kind that an attribute holds.

    `call` makes it; `place` is where in a method of `owner` that begins, or in its body. Where the
    constructor is given it, `place` is the call, and `kept` where the constructor keeps it.
    """

    kind: HeldKind
    what: str
    attribute: str
    call: ex.Call
    place: Place
    owner: Class
    of_class: bool
    kept: Place | None = None


class HeldData(NamedTuple):
    """Contents of files, or a handle, that an attribute holds; `span` is where `frame` keeps it."""

    attribute: str
    payload: Payload
    span: Span
    frame: CallContext


class ObjectStates:
    """The states of the project's classes, each found once: `context[ObjectStates].of(cls)`."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Class, ObjectState] = {}

    def of(self, cls: Class) -> ObjectState:
        """The state of a new object of exactly this class."""
        if cls not in self._known:
            self._known[cls] = ObjectState(self._context, cls)
        return self._known[cls]


class ObjectState:
    """What a new object of one class holds, by question."""

    def __init__(self, context: AnalysisContext, cls: Class) -> None:
        self.context = context
        self.cls = cls
        self.taint = DataTaint(context, cls)
        self._constructing: set[CallContext] = set()
        for frame in self._roots():
            self._constructing.add(frame)
            self._activate(frame)
            self.targets.made_by += self._made_by(frame)
        bodies = (ancestor.body for ancestor in context.solver.classes.ancestors(cls))
        self.taint.activations += map(context.solver.root, bodies)

    @property
    def targets(self) -> Targets:
        """Who the code of the object calls."""
        return self.taint.targets

    @cached_property
    def activations(self) -> tuple[CallContext, ...]:
        """The activations of methods that make the object, its constructors first."""
        known = self.taint.activations
        return tuple(f for f in known if f.scope.kind != "class" or f.receiver is not None)

    # -- construction

    def _roots(self) -> Iterator[CallContext]:
        """The activations that making an object begins with."""
        solver, made = self.context.solver, Instance(self.cls)
        init = solver.classes.method(self.cls, "__init__")
        after = solver.classes.method(self.cls, "__post_init__")
        lineage = solver.classes.ancestors(self.cls)
        if init is None and any(map(is_dataclass, lineage)):
            for ancestor in lineage:
                yield CallContext(ancestor.body, closure=self._outer(ancestor.body), receiver=made)
            init = after
        if init is not None:
            yield CallContext(init, closure=self._outer(init), receiver=made)
        for ancestor in lineage:
            for method in ancestor.methods.values():
                if self._is_factory(method):
                    given = None if "staticmethod" in attributes.decorators(method) else made
                    yield CallContext(method, closure=self._outer(method), receiver=given)

    def _made_by(self, factory: CallContext) -> Iterator[CallContext]:
        """The activations of the constructor by a class method: `cls(archive)`."""
        init, scope = self.context.solver.classes.method(self.cls, "__init__"), factory.scope
        if init is None or scope is init:
            return
        for call in (call for call in scope.calls if makes_object(call, scope)):
            passed = CallArguments.of(call.arguments, factory)
            yield CallContext(init, call, passed, factory, self._outer(init), Instance(self.cls), 1)

    def _outer(self, scope: Scope) -> CallContext:
        return self.context.solver.root(scope.parent or scope)

    def _is_factory(self, method: Scope) -> bool:
        """Whether a class method, which somebody calls, gives back an object that it made."""
        if not attributes.decorators(method) & _CLASS_METHODS:
            return False
        gives = any(makes_object(result, method) for result in method.returns)
        return gives and bool(callers_of(self.context, method))

    def _activate(self, frame: CallContext) -> None:
        """Collect the activations of methods on the object, its base constructors included."""
        self.taint.activations.append(frame)
        for call in frame.scope.calls:
            for entered in self.targets.entered(call, frame):
                own = entered.receiver is not None or method_scope(entered.scope) is not None
                if own and entered not in self.taint.activations:
                    if entered.scope.name == "__init__" and frame in self._constructing:
                        self._constructing.add(entered)
                    self._activate(entered)

    def entry(self, span: Span, frame: CallContext) -> tuple[Scope, Span] | None:
        """Where in a constructor the way to a place of an activation begins."""
        return _climbed(span, frame, self._constructing)

    def place_in_method(self, span: Span, frame: CallContext) -> Place | None:
        """Where, in a method of the object, the way to a place of an activation begins."""
        found = _climbed(span, frame, self.activations)
        return None if found is None else Place(found[0].module.path, *found[1])

    def place(self, span: Span, frame: CallContext) -> tuple[Class, Place] | None:
        """The constructor's class and the place in it from which a place is come to."""
        entry = self.entry(span, frame)
        if entry is None:
            return None
        scope, at = entry
        return scope.owner or self.cls, Place(scope.module.path, *at)

    # -- what is held

    @cached_property
    def writes(self) -> tuple[Write, ...]:
        """All that attributes come to hold, names of the class body last."""
        return tuple(w for frame in self.taint.activations for w in self.taint.writes.of(frame))

    @cached_property
    def stores(self) -> tuple[Write, ...]:
        """What constructors write to whole attributes."""
        return tuple(w for w in self.writes if not w.inside and not w.of_class)

    def written_to(self, attribute: str) -> list[Write]:
        """What constructors write to one attribute, as a whole."""
        return [write for write in self.stores if write.attribute == attribute]

    def values(self, write: Write) -> frozenset[Value]:
        """What a write may denote, over all that make an object."""
        return self.context.values(write.value, write.frame.scope)

    def origins(self, write: Write, question: Question) -> Iterator[Origin]:
        """The calls that what is written comes from, those nearest to it first."""
        return self._origins.of(write.value, write.frame, question)

    def given_origins(
        self, write: Write, question: Question, making: CallContext
    ) -> Iterator[Origin]:
        """The calls that what is written comes from, those outside the object, where one
        construction gives it, by functions that have one call each."""
        targets = Targets(self.context, self.cls)
        targets.made_by += [making, *only_way_to(self.context, making)]
        for origin in Origins(targets, self._written).of(write.value, write.frame, question):
            if self.place_in_method(origin.call.span, origin.frame) is None:
                yield origin

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self.targets, self._written)

    def _written(self, attribute: str) -> list[Write]:
        return [write for write in self.writes if write.attribute == attribute]

    def held(self, kind: HeldKind) -> Iterator[Held]:
        """The things of a kind that the object holds, by attribute."""
        facts = KINDS[kind]
        for write in self.writes:
            if write.inside and not facts.elements:
                continue
            for origin in self.origins(write, facts.question):
                what = next((facts.makers[p] for p in origin.paths if p in facts.makers), None)
                found = None if what is None else self._begun(write, origin)
                if what is not None and found is not None:
                    owner, place = found
                    yield Held(
                        kind, what, write.attribute, origin.call, place, owner, write.of_class
                    )

    def _begun(self, write: Write, origin: Origin) -> tuple[Class, Place] | None:
        if write.of_class and origin.frame is write.frame:
            scope = write.frame.scope
            return scope.owner or self.cls, Place(scope.module.path, *origin.call.span)
        found = _climbed(origin.call.span, origin.frame, self.activations)
        if found is None:
            return None
        scope, span = found
        return scope.owner or self.cls, Place(scope.module.path, *span)

    @cached_property
    def file_data(self) -> tuple[HeldData, ...]:
        """Contents of files and handles that constructors keep, by activation."""
        return tuple(
            HeldData(attribute, self._told(attribute, payload), span, frame)
            for frame in self.activations
            for attribute, payload, span in self.taint.keeps(frame)
        )

    def _told(self, attribute: str, payload: Payload) -> Payload:
        """A payload that may be an archive of arrays is one where samples are taken by a name."""
        read = payload.read
        whole = payload.reader.whole and payload.key is None
        whole = whole and not (payload.many or payload.parts)
        if not whole or not isinstance(read, ex.Call) or payload.kind is not Kind.PAYLOAD:
            return payload
        targets = self.targets.of(read.function, payload.frame)
        opens = any(isinstance(t, External) and t.path in ARCHIVES for t in targets)
        opens &= not self._is_array(read, payload.frame)
        if opens and self._is_kept_itself(read, attribute):
            return replace(payload, kind=Kind.ARCHIVE)
        return payload

    def _is_kept_itself(self, read: ex.Call, attribute: str) -> bool:
        """Whether an attribute is what a call gave, whose parts are taken by names."""
        kept = [origin_of(s.value) for s in self.stores if s.attribute == attribute]
        made = any(isinstance(one, ex.Comprehension | ex.Mapping | ex.Sequence) for one in kept)
        if made and read not in kept:
            return False
        return takes_by_key(self.context, self.cls, attribute)

    def _is_array(self, read: ex.Call, frame: CallContext) -> bool:
        """Whether a file is read that holds one array, by its name."""
        return is_named(self.context, written(read, 0, "file"), ARRAYS, frame)

    def records(self, write: Write) -> Records | None:
        """The Python objects, one or several for each record of a file, that a write keeps."""
        return self._records.of(write)

    @cached_property
    def _records(self) -> HeldRecords:
        return HeldRecords(self)

    def parts(self) -> Iterator[Part]:
        """The objects of the project that attributes hold, made or given, each once."""
        found = (part for w in self.writes for part in parts_of_write(self.context, w))
        yield from dict.fromkeys(found)


def _climbed(
    span: Span, frame: CallContext, among: Collection[CallContext]
) -> tuple[Scope, Span] | None:
    """The place in the innermost of some activations from which a place is come to."""
    while frame not in among:
        if frame.call is None or frame.caller is None:
            return None
        span, frame = frame.call.span, frame.caller
    return frame.scope, span
