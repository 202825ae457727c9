"""Which functions matter: those that make loaders, hand them on, or receive loaders and batches.

Starting from the calls that make loaders, every function that one may come to is visited: callees
that are given one, callers of functions that return one, or a function that does, or put it into
what they are given, methods of classes that keep one. Modules are read as this asks for them;
everything else in a project is left alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from dlint.analyses.carrying_calls import carrying_calls, given_values, is_of_value
from dlint.analyses.function_names import names_of, own_name
from dlint.analyses.loader_makers import LIBRARY_MAKERS, classes_deriving, scopes_naming
from dlint.analyses.outlook import Outlook
from dlint.analyses.parameter_uses import parameters_given_on, put_into_parameters
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.engine_runs import EngineRuns
from dlint.semantics.calls.object_calls import CALLED, ObjectCalls
from dlint.semantics.project import Facts
from dlint.semantics.values import containers
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import (
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Generated,
    Instance,
    Method,
    Partial,
    Row,
    Value,
    VarArgs,
    WrappedLoader,
    Zipped,
)

_MOST = 200
"""How many containers inside one another are looked into."""


_CALLABLE = (Partial, ClassObject, External)
"""What may make loaders."""
_HOLDING = (Container, VarArgs, Row, Zipped, Generated)
"""What may hold them."""


class RelevantScopes:
    """Visits, from the seeds on, every function that a loader or a batch may come to."""

    def __init__(self, solver: Solver) -> None:
        self._flow = solver
        self._project = solver.project
        self._outlook = Outlook()
        self.scopes: dict[Scope, None] = {}
        self._queue: deque[Scope] = deque()
        self._holders: set[Class] = set()
        """Classes whose objects may hold a loader, and those above them."""
        self._known_at: dict[Scope, int] = {}
        """How many of them were known when a scope was visited."""
        self._kept: set[Class] = set()
        """Those of them that hold one themselves, or as heirs."""
        self._handing_on: dict[str, set[str]] = {}
        """The names of what hands loaders on, each with the modules that define it."""
        self._makers = frozenset(LIBRARY_MAKERS)
        """The names of what makes loaders, in some module that defines it."""
        self._making: dict[ex.Call, None] = {}
        """Calls of what may make loaders, which no name tells."""
        self._globals: set[tuple[str, str]] = set()
        self._modules: deque[Facts] = deque(self._project.loaded)
        self._project.listen(self._modules.append)

    def extend(self) -> None:
        """Visit until nothing new is found, or nothing is known of any more."""
        while (self._modules or self._queue) and not self._flow.exhausted:
            if self._modules:
                self._enter_module(self._modules.popleft())
            else:
                self._visit(self._queue.popleft())
                if self._outlook.is_hopeless(self._flow.steps, len(self._queue)):
                    self._flow.give_up()

    def add(self, scope: Scope) -> None:
        """A loader or a batch may come to this scope: again, where more holders are known now."""
        if scope not in self.scopes:
            self.scopes[scope] = None
            self._queue.append(scope)
        elif self._known_at.get(scope, len(self._holders)) < len(self._holders):
            del self._known_at[scope]
            self._queue.append(scope)

    def loader_calls(self) -> Iterator[ex.Call]:
        """Calls in the loaded modules that may make a loader or a sampler."""
        for facts in sorted(self._project.loaded, key=lambda facts: facts.module.path):
            yield from facts.calls_of(*self._makers)
        yield from self._making

    # -- where it starts

    def _enter_module(self, facts: Facts) -> None:
        """The scopes of a module that make loaders, or call what hands them on."""
        self._look_for_makers(facts, self._makers)
        for name in sorted(facts.named.among(self._handing_on)):
            self._enter_users(facts, name)
        for cls in facts.module.classes:
            if any(ancestor in self._holders for ancestor in self._flow.classes.ancestors(cls)):
                self._keep(cls)

    def _look_for_makers(self, facts: Facts, names: frozenset[str]) -> None:
        """The scopes of a module that have to do with what makes loaders, by its names."""
        if not self._may_speak_of(facts, names):
            return
        own = facts.names_of(names)
        for call in facts.calls_of(*names):
            if self._carries(call, call.scope):
                self.add(call.scope)
        for name in sorted(own - names):
            if any(self._makes(d.value, d.scope) for d in facts.globals.get(name, ())):
                self._make_known(name, facts.module.path)
        for scope in scopes_naming(facts, own):
            self.add(scope)
        for cls in classes_deriving(facts, own):
            if calls.makes_loader(self._flow, ClassObject(cls)):
                self._make_known(cls.name, facts.module.path)

    def _may_speak_of(self, facts: Facts, names: frozenset[str]) -> bool:
        """Whether names stand in a module's text; what settings files stand for does not."""
        words = frozenset(name.encode() for name in names)
        among = self._project.words.among(facts.module.path, words)
        return facts.module.dialect is not None or bool(among)

    def _make_known(self, name: str, path: str) -> None:
        """What the module at `path` calls by a name makes loaders."""
        self._hand_on(name, path)
        if name not in self._makers:
            self._makers |= {name}
            for facts in tuple(self._project.loaded):
                self._look_for_makers(facts, frozenset({name}))

    # -- one scope

    def _visit(self, scope: Scope) -> None:
        self._known_at[scope] = len(self._holders)
        if scope.kind == "module":
            self._visit_globals(scope)
        else:
            for inner in walk.inner_scopes(scope):
                self.add(inner)
        for call in carrying_calls(scope):
            if self._gives(call):
                self._enter_callees(call)
            if is_of_value(call) and self._makes(call.function, scope):
                self._making[call] = None
        self._visit_results(scope)
        for store in scope.stores:
            owner = attributes.written_on_self(store)
            if owner is not None and owner not in self._kept and self._carries(store.value, scope):
                self._keep(owner)

    def _gives(self, call: ex.Call) -> bool:
        """Whether an argument, or the object whose method is called, carries a loader or batch, or
        an argument is a function that hands loaders on.
        """
        given, scope = given_values(call), call.scope
        return any(self._carries(v, scope) or self._hands_function(v, scope) for v in given)

    def _enter_callees(self, call: ex.Call) -> None:
        """The functions that a call enters, those it hands on with the batch included."""
        for argument in call.arguments:
            for given in self._flow.names.static(argument.value, call.scope):
                if isinstance(given, FunctionObject):
                    self.add(given.scope)
        for scope in self._flow[EngineRuns].callees(call):
            self.add(scope)
        for value in self._flow.values(call.function, self._flow.root(call.scope)):
            if isinstance(value, FunctionObject | Method):
                self.add(value.scope)
                self._give_makers(call, value.scope)
            elif isinstance(value, ClassObject):
                self._keep(value.cls)
                init = self._flow.classes.method(value.cls, "__init__")
                if init is not None:
                    self._give_makers(call, init)
            elif (cls := attributes.project_class(value)) is not None:
                self._enter_object(call, cls, value)

    def _enter_object(self, call: ex.Call, cls: Class, made: Value) -> None:
        """The methods that calling an object enters, visited again for what is new to them."""
        for name in CALLED:
            method = self._flow.classes.method(cls, name)
            if method is None:
                continue
            if self._flow[ObjectCalls].tell(call, method, made) and method in self.scopes:
                self._queue.append(method)
            self.add(method)

    def _give_makers(self, call: ex.Call, entered: Scope) -> None:
        """The parameters by which a function knows what makes loaders."""
        facts = self._project.load(entered.module.path)
        if facts is None or not any(self._makes(a.value, call.scope) for a in call.arguments):
            return
        names = frozenset(
            definition.name
            for definition in entered.definitions
            if isinstance(definition.value, ex.Parameter) and self._makes(definition.value, entered)
        )
        if names - self._makers:
            self._makers |= names
            self._look_for_makers(facts, names)

    def _visit_results(self, scope: Scope) -> None:
        """Whoever calls a function that returns a loader, or puts one into what it is given."""
        path = scope.module.path
        names = [n for n in names_of(scope) if path not in self._handing_on.get(n, ())]
        if not names:
            return
        results = [*scope.returns, *(y.value for y in scope.yields if y.value is not None)]
        results += [*put_into_parameters(scope), *self._filled_by_others(scope)]
        if any(
            self._carries(value, scope) or self._hands_function(value, scope) for value in results
        ):
            if attributes.is_accessor(scope) and scope.owner is not None:
                self._keep(scope.owner)
            for name in names:
                self._hand_on(name, path)

    def _hands_function(self, value: ex.Expression, scope: Scope) -> bool:
        """Whether a function returns another one that hands loaders on: `get(name)(data)`."""
        found = self._flow.values(value, self._flow.root(scope))
        functions = (v.scope for v in found if isinstance(v, FunctionObject))
        return any(f.module.path in self._handing_on.get(f.name, ()) for f in functions)

    def _filled_by_others(self, scope: Scope) -> Iterator[ex.Expression]:
        """The parameters that a function gives to another one which may put a loader into them."""
        for name, value in parameters_given_on(scope):
            if name in self._handing_on:
                yield value

    def _hand_on(self, name: str, path: str) -> None:
        """Whoever uses what the module at `path` calls by a name."""
        homes = self._handing_on.setdefault(name, set())
        if path in homes:
            return
        homes.add(path)
        self._project.load_users(path, name)
        for facts in self._project.naming(name):
            self._enter_users(facts, name)

    def _enter_users(self, facts: Facts, name: str) -> None:
        """The calls in a module of what hands loaders on, whatever it is called there."""
        for call in facts.calls.get(name, ()):
            self.add(call.scope)
        for other in sorted(facts.aliases(frozenset({name}))):
            for call in facts.calls.get(other, ()):
                if self._is_handing_on(call):
                    self.add(call.scope)
            if any(self._is_of_name(d.value, d.scope) for d in facts.globals.get(other, ())):
                self._hand_on(other, facts.module.path)
        for scope in facts.returned.get(name, ()):
            self.add(scope)
        for other in sorted(facts.names_of((name,))):
            for call, argument in facts.passed.get(other, ()):
                if self._is_of_name(argument.value, call.scope):
                    self.add(call.scope)

    def _is_handing_on(self, call: ex.Call) -> bool:
        """Whether a call enters something that hands loaders on, whatever it is called."""
        found = self._flow.values(call.function, self._flow.root(call.scope))
        return any(own_name(v) in self._handing_on or isinstance(v, Partial) for v in found)

    def _is_of_name(self, value: ex.Expression, scope: Scope) -> bool:
        """Whether a value is, by its name, something that hands loaders on."""
        found = self._flow.names.static(value, scope)
        return any(own_name(each) in self._handing_on for each in found)

    def _keep(self, cls: Class) -> None:
        """A class that holds a loader: its methods, and whoever makes its objects."""
        if cls in self._kept:
            return
        heirs = self._flow.classes.descendants(cls)
        self._kept.update((cls, *heirs))
        for member in self._flow.classes.family(cls):
            self._holders.add(member)
            for method in member.methods.values():
                self.add(method)
        for maker in (cls, *heirs):
            self._hand_on(maker.name, maker.body.module.path)

    def _visit_globals(self, scope: Scope) -> None:
        """Functions that read a global which holds a loader, here and where it is imported."""
        for definition in tuple(scope.definitions):
            key = (scope.module.path, definition.name)
            if key in self._globals or isinstance(
                definition.value, ex.FunctionValue | ex.ClassValue | ex.Imported | ex.Constant
            ):
                continue
            if self._carries(definition.value, scope):
                self._globals.add(key)
                self._add_readers(scope, definition.name)

    def _add_readers(self, scope: Scope, name: str) -> None:
        for inner in scope.module.scopes:
            if inner.kind in ("function", "lambda") and _reads(inner, name):
                self.add(inner)
        self._project.load_users(scope.module.path, name)
        for facts in self._project.loaded:
            for other in sorted(facts.globals.among(facts.names_of((name,)))):
                if any(_imports(d.value, name) for d in facts.globals[other]):
                    self.add(facts.module.body)
                    self._add_local_readers(facts, other)
        for facts in self._star_importers(scope.module.path, name):
            self.add(facts.module.body)
            self._add_local_readers(facts, name)

    def _star_importers(self, path: str, name: str) -> Iterator[Facts]:
        """The modules that say a name and have it by `from … import *`, also from one another."""
        word = frozenset({name.encode()})
        homes = [path]
        for home in homes:
            for facts in tuple(self._project.loaded):
                other = facts.module.path
                if other in homes or home not in self._flow.names.star_targets(facts):
                    continue
                homes.append(other)
                if self._project.words.among(other, word):
                    yield facts

    def _add_local_readers(self, facts: Facts, name: str) -> None:
        for inner in facts.module.scopes:
            if inner.kind in ("function", "lambda") and _reads(inner, name):
                self.add(inner)

    # -- what carries

    def _carries(self, expression: ex.Expression, scope: Scope) -> bool:
        """Whether a value is, or holds, a loader, a batch or something that makes loaders."""
        queue = deque(self._flow.values(expression, self._flow.root(scope)))
        seen: set[Value] = set()
        while queue and len(seen) < _MOST:
            value = queue.popleft()
            if self._is_carrier(value):
                return True
            if not isinstance(value, _HOLDING) or value in seen:
                continue
            seen.add(value)
            node = containers.elements(self._flow, value)
            self._flow.settle()
            queue.extend(node.values)
        return False

    def _makes(self, expression: ex.Expression, scope: Scope) -> bool:
        """Whether a value may be what makes loaders: a class, or a partial."""
        found = self._flow.values(expression, self._flow.root(scope))
        callables = [value for value in found if isinstance(value, _CALLABLE)]
        return any(isinstance(v, Partial) or calls.makes_loader(self._flow, v) for v in callables)

    def _is_carrier(self, value: Value) -> bool:
        match value:
            case Batch():
                return not value.moved
            case WrappedLoader() | Partial():
                return True
            case Instance() | AllocationSite():
                cls = attributes.project_class(value)
                return calls.is_loader(self._flow, value) or cls in self._holders
            case ClassObject() | External():
                return calls.makes_loader(self._flow, value)
        return False


def _imports(value: ex.Expression, name: str) -> bool:
    return isinstance(value, ex.Imported) and value.name == name


def _reads(scope: Scope, name: str) -> bool:
    return any(
        isinstance(part, ex.Reference) and part.definition is None and part.name == name
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )
