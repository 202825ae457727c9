"""Calls of one name, each watched once for all who seek the calls of a function.

Question: which of some calls of one name may enter a function, and on which object? Those
whose callee may be the function, a method of it, or a class that it is the constructor of; a method
by its own name is entered on every object of a related class. Nothing is evaluated before somebody
seeks. However many functions of one name there are, the work grows with the calls and the
functions, and not with both. Bounded by the solver's budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import ClassObject, FunctionObject, Instance, Method, Value

Tell = Callable[[ex.Call, Value | None], None]
"""Takes a call that enters a function, with the object it is called on, if any."""


class _Entry(NamedTuple):
    """A call, counted among those of its name, and the object it is made on."""

    number: int
    call: ex.Call
    receiver: Value | None


class EnteringCalls:
    """Calls of one name, and what they enter."""

    def __init__(self, solver: Solver, name: str) -> None:
        self._solver = solver
        self._name = name
        self._calls: list[ex.Call] = []
        self._sought: dict[Scope, Tell] = {}
        self._entered: defaultdict[Scope, list[_Entry]] = defaultdict(list)
        self._on_objects: list[_Entry] = []
        """Calls on objects of classes of the project."""
        self._watched = 0
        self._reads_objects = False
        """Whether somebody seeks what is no method of this name, but may be an attribute."""

    def add(self, calls: Iterable[ex.Call]) -> None:
        """Further calls of the name."""
        self._calls += calls
        if self._sought:
            self._watch_all()

    def seek(self, scope: Scope, tell: Tell) -> None:
        """Tell of each call that enters a function, known now or found later."""
        if scope in self._sought:
            return
        known = self._known(scope)
        self._sought[scope] = tell
        for entry in known:
            tell(entry.call, entry.receiver)
        if not self._is_own(scope) and not self._reads_objects:
            self._reads_objects = True
            for entry in tuple(self._on_objects):
                self._read(entry)
        self._watch_all()

    def _known(self, scope: Scope) -> list[_Entry]:
        """What is known to enter a function, in the order of the calls."""
        known = list(self._entered.get(scope, ()))
        if self._is_own(scope):
            known += [entry for entry in self._on_objects if self._may_enter(entry, scope)]
        return sorted(known, key=lambda entry: entry.number)

    def _is_own(self, scope: Scope) -> bool:
        """Whether a function is a method of this name."""
        return scope.owner is not None and scope.name == self._name

    def _may_enter(self, entry: _Entry, method: Scope) -> bool:
        """Whether an object may have a method of this name."""
        cls = None if entry.receiver is None else project_class(entry.receiver)
        owner = method.owner
        return (
            cls is not None and owner is not None and self._solver.classes.are_related(owner, cls)
        )

    def _watch_all(self) -> None:
        while self._watched < len(self._calls):
            self._watched += 1
            self._watch(self._watched - 1, self._calls[self._watched - 1])

    def _watch(self, number: int, call: ex.Call) -> None:
        solver, callee = self._solver, call.function
        frame = solver.root(call.scope)
        if isinstance(callee, ex.Attribute):
            base = solver.evaluate(callee.value, frame)
            solver.watch(base, lambda value: self._made_on(_Entry(number, call, value)))
        else:
            entry = _Entry(number, call, None)
            solver.watch(
                solver.evaluate(callee, frame), lambda value: self._enter(entry, value, False)
            )

    def _made_on(self, entry: _Entry) -> None:
        """A call is made on some value."""
        assert entry.receiver is not None
        if project_class(entry.receiver) is None:
            self._read(entry)
            return
        self._on_objects.append(entry)
        for scope, tell in tuple(self._sought.items()):
            if self._is_own(scope) and self._may_enter(entry, scope):
                tell(entry.call, entry.receiver)
        if self._reads_objects:
            self._read(entry)

    def _read(self, entry: _Entry) -> None:
        """What the attribute that is called denotes."""
        solver, value = self._solver, entry.receiver
        assert value is not None
        is_object = project_class(value) is not None
        solver.watch(
            solver.member(value, self._name),
            lambda found: self._enter(entry, found, is_object),
        )

    def _enter(self, entry: _Entry, callee: Value, is_object: bool) -> None:
        """A call enters what some value stands for."""
        scope, receiver = self._target(callee)
        if scope is None or (is_object and self._is_own(scope)):
            return
        self._entered[scope].append(entry._replace(receiver=receiver))
        if scope in self._sought:
            self._sought[scope](entry.call, receiver)

    def _target(self, callee: Value) -> tuple[Scope | None, Value | None]:
        """The function that calling a value enters, and the object on which."""
        match callee:
            case FunctionObject():
                return callee.scope, None
            case Method():
                return callee.scope, callee.receiver
            case ClassObject():
                made = self._solver.classes.method(callee.cls, "__init__")
                return made, Instance(callee.cls, exact=True)
        return None, None
