"""Records: one Python object, or several, for each record of a file, kept in memory.

Question: does what an attribute holds consist of parsed JSON, lines, rows of a table, or an array
of objects? Two ways lead there: an expression *holds* records all at once (a list, a dict, what a
reader gives whole), and running through an expression *gives* them one by one (an open file, a CSV
reader, a generator function, also of another module). Followed are names, parameters that the call
at hand gives, attributes of the object, functions to what they return or yield, loops and
comprehensions. What an array library makes of a record is compact, and ends the way, as does what
is not known. A question that is still open is not asked again, so recursion ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses import repetition
from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import is_self, root_name
from dlint.analyses.calls import is_method, library_callees
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import records as known
from dlint.library_facts.readers import MUTATORS
from dlint.library_facts.records import Records

if TYPE_CHECKING:
    from dlint.analyses.object_state.state import ObjectState
    from dlint.analyses.object_state.writes import Write
    from dlint.semantics.calls.call_contexts import CallContext

_Question = Callable[[ex.Expression, "CallContext"], Records | None]


class HeldRecords:
    """Asks what records the attributes of one object hold."""

    def __init__(self, state: ObjectState) -> None:
        self._state = state
        self._open: set[tuple[object, ex.Expression, CallContext]] = set()

    def of(self, write: Write) -> Records | None:
        """The records that an attribute holds by a write, or by what loops add to it after."""
        if self._is_packed(write.attribute):
            return None
        found = self.held(write.value, write.frame)
        if found is None and is_empty(write.value):
            added = (self._added(f, f"self.{write.attribute}") for f in self._state.activations)
            return next(filter(None, added), None)
        return found

    def _is_packed(self, attribute: str) -> bool:
        """Whether the constructor writes an array or a table to the attribute, too."""
        return any(
            self._is_compact(write.value, write.frame)
            and self.held(write.value, write.frame) is None
            for write in self._state.written_to(attribute)
        )

    def held(self, e: ex.Expression, frame: CallContext) -> Records | None:
        """The records that an expression holds in memory, all at once."""
        return self._once(self._held, e, frame)

    def given(self, e: ex.Expression, frame: CallContext) -> Records | None:
        """The records that running through an expression gives one by one."""
        return self._once(self._given, e, frame) or self.held(e, frame)

    def _once(self, question: _Question, e: ex.Expression, frame: CallContext) -> Records | None:
        """The answer to a question that is not being asked already."""
        key = (question.__name__, e, frame)
        if key in self._open:
            return None
        self._open.add(key)
        found = question(e, frame)
        self._open.discard(key)
        return found

    def _held(self, e: ex.Expression, frame: CallContext) -> Records | None:
        match e:
            case ex.Reference() if e.definition is not None:
                value = e.definition.value
                found = self.held(value, frame)
                return found or (self._added(frame, e.name) if is_empty(value) else None)
            case ex.Parameter():
                given = frame.given(e.name)
                return None if given is None else self.held(*given)
            case ex.Subscript() if isinstance(e.index, ex.Constant | ex.Slice):
                return self.held(e.value, frame)
            case ex.Comprehension() if e.kind in ("list", "dict"):
                return self._of_turns(e.iterables, e.element, frame)
            case ex.Attribute() if is_self(e.value, frame.scope):
                written = self._state.written_to(e.name)
                return _any(self.held(w.value, w.frame) for w in written)
            case ex.Call():
                return self._of_call(e, frame)
        return None

    def _given(self, e: ex.Expression, frame: CallContext) -> Records | None:
        match e:
            case ex.Reference() if e.definition is not None:
                return self.given(e.definition.value, frame)
            case ex.Parameter():
                given = frame.given(e.name)
                return None if given is None else self.given(*given)
            case ex.Entered():
                return self.given(e.value, frame)
            case ex.Comprehension(kind="generator"):
                return self._of_turns(e.iterables, e.element, frame)
            case ex.Call() if e.name in ("items", "values") and isinstance(
                e.function, ex.Attribute
            ):
                return self.given(e.function.value, frame)
            case ex.Call():
                return self._run_through(e, frame)
        return None

    # -- calls

    def _of_call(self, call: ex.Call, frame: CallContext) -> Records | None:
        first = written(call, 0)
        for path in self._paths(call):
            if path in known.COLLECTING and first is not None:
                return self.given(first, frame)
            if path in known.OBJECT_ARRAYS:
                return Records.ARRAY if _is_of_objects(call) else None
            return None if path in known.LAZY else known.READERS.get(path)
        if isinstance(call.function, ex.Attribute):
            if call.name == "to_dict" and not _asks_for_records(call):
                return None
            if call.name in known.METHODS:
                return known.METHODS[call.name or ""]
        entered = self._entered(call, frame)
        return _any(self.held(r, inner) for inner in entered for r in inner.scope.returns)

    def _run_through(self, call: ex.Call, frame: CallContext) -> Records | None:
        first = written(call, 0)
        for path in self._paths(call):
            if path in known.HANDING_ON and first is not None:
                return self.given(first, frame)
            if path in known.READERS:
                return None if _is_binary(call) else known.READERS[path]
        return _any(self._yielded(inner) for inner in self._entered(call, frame))

    def _yielded(self, frame: CallContext) -> Records | None:
        """What a generator function gives, or a function returns that is run through."""
        for produced in frame.scope.yields:
            if produced.value is None:
                continue
            if produced.delegates:
                found = self.given(produced.value, frame)
            else:
                loops = repetition.repeating_loops(frame.scope, produced.span)
                around = [loop.iterable for loop in loops if loop.iterable is not None]
                found = self._of_turns(around, produced.value, frame)
            if found is not None:
                return found
        return _any(self.given(result, frame) for result in frame.scope.returns)

    def _entered(self, call: ex.Call, frame: CallContext) -> list[CallContext]:
        """The activations that a call makes; of what is known by values alone, the joined ones."""
        entered = self._state.targets.entered(call, frame)
        context = self._state.context
        return entered or [context.solver.root(scope) for scope in callees_of(context, call)]

    def _paths(self, call: ex.Call) -> list[str]:
        return [p for p in library_callees(self._state.context, call) if not is_method(p)]

    # -- loops

    def _of_turns(
        self, iterables: Iterable[ex.Expression], element: ex.Expression, frame: CallContext
    ) -> Records | None:
        """What a loop collects: an object of every record, unless that is a number or an array."""
        if self._is_compact(element, frame):
            return None
        found = _any(self.given(iterable, frame) for iterable in iterables)
        parsed = (path for c in _calls(element) for path in self._paths(c))
        return Records.JSON if found and any(map(_parses, parsed)) else found

    def _added(self, frame: CallContext, container: str) -> Records | None:
        """What loops of an activation, and of those that it hands it to, add to a container."""
        for call in frame.scope.calls:
            callee = call.function
            if call.name not in MUTATORS or not isinstance(callee, ex.Attribute):
                continue
            if _container_name(callee.value, frame) == container and call.arguments:
                found = self._of_addition(call, call.arguments[-1].value, frame)
                if found is not None:
                    return found
        handed = self._state.targets.handed_on(container, frame)
        return _any(self._added(inner, parameter) for parameter, inner in handed)

    def _of_addition(
        self, call: ex.Call, added: ex.Expression, frame: CallContext
    ) -> Records | None:
        loop = next(walk.enclosing_loops(call.statement), None)
        if loop is not None and loop.iterable is not None:
            return self._of_turns((loop.iterable,), added, frame)
        return self.given(added, frame) if call.name in known.TAKING_ALL else None

    def _is_compact(self, element: ex.Expression, frame: CallContext) -> bool:
        while isinstance(element, ex.Reference) and element.definition is not None:
            element = element.definition.value
        paths = [path for call in _calls(element) for path in self._paths(call)]
        if any(path.partition(".")[0] in known.COMPACT for path in paths):
            return True
        if not isinstance(element, ex.Call):
            return False
        if isinstance(element.function, ex.Attribute) and element.name in known.CONVERTING:
            return True
        return any(path in known.NUMBERS for path in self._paths(element))


def is_empty(value: ex.Expression) -> bool:
    """Whether an expression makes a container with nothing in it."""
    if isinstance(value, ex.Call):
        return value.name in ("list", "dict", "defaultdict") and len(value.arguments) < 2
    return (isinstance(value, ex.Sequence) and not value.items) or (
        isinstance(value, ex.Mapping) and not value.items
    )


def _container_name(container: ex.Expression, frame: CallContext) -> str | None:
    """The name of a list that takes something in, as `self.x` for one of the object."""
    if isinstance(container, ex.Reference | ex.Attribute):
        return root_name(container, frame.scope)
    return None


def _any(found: Iterator[Records | None]) -> Records | None:
    return next(filter(None, found), None)


def _calls(e: ex.Expression) -> Iterator[ex.Call]:
    return (part for part in walk.walk(e) if isinstance(part, ex.Call))


def _parses(path: str) -> bool:
    return known.READERS.get(path) is Records.JSON


def _is_binary(call: ex.Call) -> bool:
    mode = written(call, 1, "mode")
    return isinstance(mode, ex.Constant) and isinstance(mode.value, str) and "b" in mode.value


def _is_of_objects(call: ex.Call) -> bool:
    given = written(call, 1, "dtype")
    if isinstance(given, ex.Constant):
        return given.value in ("object", "O")
    return isinstance(given, ex.Reference | ex.Attribute) and given.name in ("object", "object_")


def _asks_for_records(call: ex.Call) -> bool:
    given = (a.value.value for a in call.arguments if isinstance(a.value, ex.Constant))
    return any(value in ("records", "index", "list", "split") for value in given)
