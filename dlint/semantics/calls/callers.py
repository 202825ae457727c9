"""Who calls a function: the other half of parameters.

Question: which calls of the project may enter a function, and with what? A parameter of a root
frame is joined over them. Calls are found by name: files whose text holds the name are loaded,
calls with that last name (or an alias of an import) are evaluated, and those whose callee may be
the function count. Followed too: `super().__init__(…)`, functions handed to a parameter that is
called, to `map`, to a process or thread, those that are picked of several (`picked_calls`), or kept
by a parser's `set_defaults`, and decorators that hand back what they decorate
(`keeping_decorators`).
Given up on: names that are computed. Where the project is cut short, somebody else may pass
anything. Bounded by the solver's budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dlint.ir import expressions as ex
from dlint.ir.module import Class, ParameterSpec, Scope
from dlint.library_facts.concurrency import PROCESSES
from dlint.library_facts.engines import ENGINES
from dlint.semantics.calls import arguments, attributes, calls
from dlint.semantics.calls.binding import argument_for, bind, is_refused, signature_of
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.calls.engine_runs import EngineRuns, Entry
from dlint.semantics.calls.entering_calls import EnteringCalls
from dlint.semantics.calls.field_writes import constructions_of, own_constructions
from dlint.semantics.calls.keeping_decorators import KeepingDecorators
from dlint.semantics.calls.object_calls import CALLED, ObjectCalls
from dlint.semantics.calls.picked_calls import PickedCalls
from dlint.semantics.calls.started_calls import started_with
from dlint.semantics.project import Facts
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    External,
    FunctionObject,
    Instance,
    Value,
)


@dataclass(slots=True)
class _Waiting:
    """A parameter whose callers are being sought."""

    node: ConstraintNode
    fill: Callable[[ConstraintNode], None]
    called: bool = False


@dataclass(eq=False, slots=True)
class _Search:
    """One function and those who want to know of its calls."""

    solver: Solver
    scope: Scope
    names: set[str]
    matches: list[tuple[CallContext, Value | None]] = field(default_factory=list)
    listeners: list[Callable[[CallContext], None]] = field(default_factory=list)
    seen: set[ex.Call] = field(default_factory=set)
    taken: set[tuple[Scope, str]] = field(default_factory=set)
    """Where a parameter holds the function."""

    def match(self, call: ex.Call, receiver: Value | None) -> None:
        """A call enters the function, with its own arguments."""
        if receiver is not None or self.scope.name != "__init__":
            caller = self.solver.root(call.scope)
            self.tell(call, CallArguments.of(call.arguments, caller), caller, receiver)

    def enter(self, entry: Entry) -> None:
        """A run of an engine enters the function."""
        caller = self.solver.root(entry.call.scope)
        self.tell(entry.call, entry.passed, caller, entry.receiver)

    def tell(
        self, call: ex.Call, passed: CallArguments, caller: CallContext, receiver: Value | None
    ) -> None:
        """A call enters the function with these arguments."""
        if "staticmethod" in attributes.decorators(self.scope):
            receiver = None
        if isinstance(receiver, AllocationSite) and isinstance(receiver.origin, ClassObject):
            receiver = Instance(receiver.origin.cls)
        frame = self.solver.frames.enter(self.scope, call, passed, caller, None, receiver)
        if all(known is not frame for known, _ in self.matches):
            self.matches.append((frame, receiver))
            for listener in tuple(self.listeners):
                listener(frame)


@dataclass(eq=False, slots=True)
class _Named:
    """The calls by one name, and the searches that want to know of them."""

    calls: EnteringCalls
    searches: list[_Search] = field(default_factory=list)
    otherwise: list[Facts] = field(default_factory=list)
    """Modules that pass on what has the name, or bind another one to it."""
    heard: int = 0
    """How many of the modules that name it have been looked into."""


class Callers:
    """Finds the calls of functions; one per `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._searches: dict[Scope, _Search] = {}
        self._by_name: dict[str, _Named] = {}
        self._constructors: dict[Class, list[_Search]] = defaultdict(list)
        self._upward_calls: dict[Class, list[ex.Call]] = defaultdict(list)
        """Calls of constructors in those of subclasses, by each class above."""
        self._heard_upward = 0
        self._waiting: list[_Waiting] = []
        self._by_alias: dict[tuple[Facts, str], EnteringCalls] = {}
        self._picked = PickedCalls(solver)
        self._decorated = KeepingDecorators(solver)
        self._runs = solver[EngineRuns]
        solver.project.listen(self._module_loaded)

    def of_parameter(
        self, scope: Scope, spec: ParameterSpec, index: int, node: ConstraintNode
    ) -> None:
        """Join a parameter over the calls of `scope`; its default where nobody calls."""
        solver = self._solver
        waiting = self._await(node, lambda target: calls.unpassed(solver, scope, spec, target))

        def on_call(frame: CallContext) -> None:
            if not is_refused(frame):
                waiting.called = True
                if frame.call is not None:
                    calls.bound(solver, frame, spec, index, node)

        self.listen(scope, on_call)
        solver[ObjectCalls].seek(scope, lambda frame: calls.bound(solver, frame, spec, index, node))

    def listen(self, scope: Scope, listener: Callable[[CallContext], None]) -> None:
        """Tell `listener` of the frame of each call of `scope`, known now or found later."""
        search = self._searches.get(scope) or self._begin(scope)
        search.listeners.append(listener)
        for frame, _ in tuple(search.matches):
            listener(frame)

    def of_field(self, cls: Class, name: str, spec: ParameterSpec, node: ConstraintNode) -> None:
        """Join a dataclass field over the constructions of its class."""
        solver = self._solver
        position = next(i for i, s in enumerate(cls.fields) if s.name == name)
        waiting = self._await(node, lambda target: calls.default(solver, cls.body, spec, target))
        for call in constructions_of(solver, cls):
            frame = solver.root(call.scope)
            passed = CallArguments.of(call.arguments, frame)
            waiting.called = True
            if not arguments.give(solver, argument_for(passed, position, name), node):
                calls.default(solver, cls.body, spec, node)

    def _await(self, node: ConstraintNode, fill: Callable[[ConstraintNode], None]) -> _Waiting:
        if not self._waiting:
            self._solver.when_settled(self._close)
        self._waiting.append(_Waiting(node, fill))
        return self._waiting[-1]

    def _close(self) -> None:
        """Give parameters that nobody passes their defaults; anything, where not all was read."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.called:
                one.fill(one.node)
            if self._solver.project.is_cut_short:
                self._solver.add(one.node, UNKNOWN)

    # -- the search

    def _begin(self, scope: Scope) -> _Search:
        search = _Search(self._solver, scope, set(self._names(scope)))
        self._searches[scope] = search
        for name in sorted(search.names):
            self._load_users(scope, name)
        for name in sorted(search.names):
            self._hear(search, name)
        if scope.owner is not None and scope.name == "__init__":
            self._hear_upward()
            self._constructors[scope.owner].append(search)
            self._hear_heirs(search)
            for call in own_constructions(scope.owner):
                search.match(call, Instance(scope.owner))
            for call in tuple(self._upward_calls.get(scope.owner, ())):
                self._upward(search, call)
        self._passed_on(search)
        self._picked.seek(search.names, scope, search.match)
        self._decorated.seek(scope, search.match)
        self._runs.seek(scope, search.enter)
        return search

    def _load_users(self, scope: Scope, name: str) -> None:
        """Load whoever may call a function; a class method is called by the name of a class."""
        load = self._solver.project.load_users
        path = scope.module.path
        if scope.owner is None:
            load(path, name)
        elif attributes.decorators(scope) & {"classmethod", "staticmethod"}:
            for cls in (scope.owner, *self._solver.classes.descendants(scope.owner)):
                load(path, name, cls.name, called=True)
        else:
            load(path, name, called=True)

    def _names(self, scope: Scope) -> Iterator[str]:
        """The last names by which a function is called."""
        if scope.owner is None or scope.name not in ("__init__", *CALLED):
            if scope.kind == "function" and not attributes.is_accessor(scope):
                yield scope.name
        elif scope.name == "__init__":
            yield scope.owner.name
            for child in self._solver.classes.descendants(scope.owner):
                if "__init__" not in child.methods:
                    yield child.name

    def _module_loaded(self, facts: Facts) -> None:
        for one in (self._picked, self._decorated, self._runs):
            one.hear()
        for name in sorted(facts.named.among(self._by_name)):
            self._hear_new(name)
        if self._constructors:
            self._hear_upward()
            for cls in facts.module.classes:
                for above in self._solver.classes.ancestors(cls)[1:]:
                    for search in tuple(self._constructors.get(above, ())):
                        self._hear_heirs(search)

    def _hear(self, search: _Search, name: str) -> None:
        """Tell a search of the calls by one name of its function."""
        if name not in self._by_name:
            self._by_name[name] = _Named(EnteringCalls(self._solver, name))
            self._hear_new(name)
        named = self._by_name[name]
        named.searches.append(search)
        named.calls.seek(search.scope, search.match)
        for facts in tuple(named.otherwise):
            self._look(search, facts, name)

    def _hear_new(self, name: str) -> None:
        """Look into modules that name a function, and were not looked into for it."""
        named = self._by_name[name]
        naming = self._solver.project.naming(name)
        new, named.heard = naming[named.heard :], len(naming)
        for facts in new:
            named.calls.add(facts.calls.get(name, ()))
            if name in facts.passed or name in facts.bound:
                named.otherwise.append(facts)
                for search in tuple(named.searches):
                    self._look(search, facts, name)

    def _look(self, search: _Search, facts: Facts, name: str) -> None:
        """A module that passes a function on by one of its names, or has another one for it."""
        for called in sorted(facts.names_of((name,))):
            if called != name and called in facts.calls:
                self._calls_of(facts, called).seek(search.scope, search.match)
            if search.scope.owner is None:
                self._named(search, facts, called)
            if called not in search.names and self._is_exported(search, facts, called):
                self._search_by(search, facts.module.path, called)

    def _calls_of(self, facts: Facts, name: str) -> EnteringCalls:
        """The calls by a name that has its meaning in one module alone."""
        key = (facts, name)
        if key not in self._by_alias:
            self._by_alias[key] = EnteringCalls(self._solver, name)
            self._by_alias[key].add(facts.calls[name])
        return self._by_alias[key]

    def _is_exported(self, search: _Search, facts: Facts, name: str) -> bool:
        """Whether other modules may import the function from this one by another name."""
        if name not in facts.globals:
            return False
        scope = search.scope
        method = self._solver.classes.method
        return any(
            value == FunctionObject(scope, None)
            or (isinstance(value, ClassObject) and method(value.cls, scope.name) is scope)
            for value in self._solver.names.exported(facts.module.path, name)
        )

    def _search_by(self, search: _Search, path: str, name: str, *, called: bool = False) -> None:
        """Look for calls by a name that the module at `path` gives a function."""
        if name not in search.names:
            search.names.add(name)
            self._solver.project.load_users(path, name, called=called)
            self._hear(search, name)

    def _hear_heirs(self, search: _Search) -> None:
        """Look for the constructions of classes, loaded since, that take a constructor over."""
        owner = search.scope.owner
        for cls in () if owner is None else self._solver.classes.descendants(owner):
            if "__init__" not in cls.methods:
                self._search_by(search, cls.body.module.path, cls.name, called=True)

    def _hear_upward(self) -> None:
        """Look into modules with calls of constructors that were not looked into for them."""
        naming = self._solver.project.naming("__init__")
        new, self._heard_upward = naming[self._heard_upward :], len(naming)
        for call in (call for facts in new for call in facts.calls.get("__init__", ())):
            owner = call.scope.owner
            for above in () if owner is None else self._solver.classes.ancestors(owner)[1:]:
                self._upward_calls[above].append(call)
                for search in tuple(self._constructors.get(above, ())):
                    self._upward(search, call)

    def _upward(self, search: _Search, call: ex.Call) -> None:
        """`super().__init__(…)` in a subclass's constructor."""
        owner = call.scope.owner
        if owner is None or call in search.seen:
            return
        search.seen.add(call)
        caller, callee = self._solver.root(call.scope), call.function
        explicit = isinstance(callee, ex.Attribute) and not isinstance(callee.value, ex.Call)
        given = call.arguments[1:] if explicit else call.arguments
        passed = CallArguments.of(given, caller)
        search.tell(call, passed, caller, Instance(owner))

    def _passed_on(self, search: _Search) -> None:
        """A lambda given as an argument is called where the parameter is."""
        scope = search.scope
        facts = self._solver.project.load(scope.module.path)
        if scope.kind != "lambda" or facts is None:
            return
        every = [c for found in facts.calls.values() for c in found]
        for call, argument in [(c, given) for c in every for given in c.arguments]:
            value = argument.value
            if isinstance(value, ex.FunctionValue) and value.function is scope:
                self._given(search, call, argument)

    def _named(self, search: _Search, facts: Facts, name: str) -> None:
        """A function given by its name is called where the parameter is, or by a library."""
        for call, argument in facts.passed.get(name, ()):
            found = self._solver.names.static(argument.value, call.scope)
            if FunctionObject(search.scope, None) in found:
                self._given(search, call, argument)

    def _given(self, search: _Search, call: ex.Call, argument: ex.Argument) -> None:
        solver = self._solver
        if call.name == "Process" and argument.keyword == "target":
            # also of a context: `get_context("spawn").Process(target=f, args=(a, b))`
            self._started(search, call, PROCESSES[0])
            return
        if call.name == "set_defaults" and argument.keyword is not None:
            # `args.run(args)` calls what a parser's `set_defaults(run=f)` keeps
            self._search_by(search, call.scope.module.path, argument.keyword, called=True)
            return
        for value in solver.names.static(call.function, call.scope):
            if isinstance(value, External) and value.path not in ENGINES:
                self._mapped(search, call, argument, value.path)
            if not isinstance(value, FunctionObject):
                continue
            passed = CallArguments.of(call.arguments, solver.root(call.scope))
            signature = signature_of(value.scope, has_receiver=False)
            parameter = bind(passed, signature).parameter_of(argument)
            if parameter is not None:
                self._taken(search, value.scope, parameter)

    def _taken(self, search: _Search, scope: Scope, parameter: str) -> None:
        """A function that a parameter holds is called by its name, or given on."""
        solver = self._solver
        facts = solver.project.load(scope.module.path)
        if facts is None or (scope, parameter) in search.taken:
            return
        search.taken.add((scope, parameter))
        for inner in facts.calls.get(parameter, ()):
            if inner.scope is scope:
                caller = solver.root(scope)
                passed = CallArguments.of(inner.arguments, caller)
                search.tell(inner, passed, caller, None)
        for call, argument in facts.passed.get(parameter, ()):
            if call.scope is scope and isinstance(argument.value, ex.Reference):
                self._given(search, call, argument)

    def _mapped(self, search: _Search, call: ex.Call, argument: ex.Argument, path: str) -> None:
        """`map(f, xs)` calls f with elements, `tree_map(f, x)` with parts of what it is given,
        `spawn(f, args=(a, b))` with a rank and these."""
        if self._started(search, call, path):
            return
        caller = self._solver.root(call.scope)
        for other in call.arguments:
            if other is argument or other.star:
                continue
            each = ex.Element(other.value.span, other.value)
            value = each if path == "builtins.map" else other.value
            passed = CallArguments(((ex.Argument(other.span, value), caller),))
            search.tell(call, passed, caller, None)

    def _started(self, search: _Search, call: ex.Call, path: str) -> bool:
        """A process or thread calls the function with what stands in `args`."""
        caller = self._solver.root(call.scope)
        passed = started_with(call, path, caller)
        if passed is not None:
            search.tell(call, passed, caller, None)
        return passed is not None
