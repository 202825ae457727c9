"""Which functions matter: those that make loaders, hand them on, or receive loaders and batches.

Starting from the calls that make loaders, every function that one may come to is visited: callees
that are given one, callers of functions that return one, methods of classes that keep one. Modules
are read as this asks for them; everything else in a project is left alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts.loaders import LOADERISH
from dlint.semantics.calls import attributes, calls
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

_ALIASED = frozenset({"DataLoader", "StatefulDataLoader", "DistributedSampler"})
_IGNORED = frozenset(
    {"print", "len", "range", "isinstance", "super", "str", "int", "float", "format"}
)
_MOST = 200
"""How many containers inside one another are looked into."""


class RelevantScopes:
    """Visits, from the seeds on, every function that a loader or a batch may come to."""

    def __init__(self, solver: Solver) -> None:
        self._flow = solver
        self._project = solver.project
        self.scopes: dict[Scope, None] = {}
        self._queue: deque[Scope] = deque()
        self._holders: set[Class] = set()
        self._handing_on: set[str] = set()
        self._globals: set[tuple[str, str]] = set()
        self._modules: deque[Facts] = deque(self._project.loaded)
        self._project.listen(self._modules.append)

    def extend(self) -> None:
        """Visit until nothing new is found."""
        while self._modules or self._queue:
            if self._modules:
                self._enter_module(self._modules.popleft())
            else:
                self._visit(self._queue.popleft())

    def add(self, scope: Scope) -> None:
        """A loader or a batch may come to this scope."""
        if scope not in self.scopes:
            self.scopes[scope] = None
            self._queue.append(scope)

    # -- where it starts

    def _enter_module(self, facts: Facts) -> None:
        """The scopes of a module that make loaders, or call what hands them on."""
        for call in loader_calls(facts):
            if self._carries(call, call.scope):
                self.add(call.scope)
        for scope in _naming_loaders(facts):
            self.add(scope)
        for name in sorted(self._handing_on & facts.calls.keys()):
            for call in facts.calls[name]:
                self.add(call.scope)
        for cls in facts.module.classes:
            if _may_be_loader(cls) and calls.makes_loader(self._flow, ClassObject(cls)):
                self._hand_on(cls.name, facts.module.path)
            if any(ancestor in self._holders for ancestor in self._flow.classes.ancestors(cls)):
                self._keep(cls)

    # -- one scope

    def _visit(self, scope: Scope) -> None:
        if scope.kind == "module":
            self._visit_globals(scope)
        else:
            for inner in scope.module.scopes:
                if inner.parent is scope:
                    self.add(inner)
        for call in tuple(scope.calls):
            if call.name not in _IGNORED and self._gives(call):
                self._enter_callees(call)
        self._visit_results(scope)
        for store in scope.stores:
            owner = attributes.written_on_self(store)
            if (
                owner is not None
                and owner not in self._holders
                and self._carries(store.value, scope)
            ):
                self._keep(owner)

    def _gives(self, call: ex.Call) -> bool:
        """Whether an argument, or the object whose method is called, carries a loader or batch."""
        given = [a.value for a in call.arguments if not isinstance(a.value, ex.Constant)]
        return any(self._carries(value, call.scope) for value in given)

    def _enter_callees(self, call: ex.Call) -> None:
        """The functions that a call enters, those it hands on with the batch included."""
        for argument in call.arguments:
            for given in self._flow.names.static(argument.value, call.scope):
                if isinstance(given, FunctionObject):
                    self.add(given.scope)
        for value in self._flow.values(call.function, self._flow.root(call.scope)):
            if isinstance(value, FunctionObject | Method):
                self.add(value.scope)
            elif isinstance(value, ClassObject):
                self._keep(value.cls)
            elif (cls := attributes.project_class(value)) is not None:
                for name in ("__call__", "forward"):
                    method = self._flow.classes.method(cls, name)
                    if method is not None:
                        self.add(method)

    def _visit_results(self, scope: Scope) -> None:
        """Whoever calls a function that returns a loader, by its name."""
        if (
            scope.kind != "function"
            or scope.name.startswith("__")
            or scope.name in self._handing_on
        ):
            return
        results = [*scope.returns, *(y.value for y in scope.yields if y.value is not None)]
        if any(self._carries(value, scope) for value in results):
            self._hand_on(scope.name, scope.module.path)

    def _hand_on(self, name: str, path: str) -> None:
        if name in self._handing_on:
            return
        self._handing_on.add(name)
        self._project.load_users(path, name)
        for facts in self._project.loaded:
            for call in facts.calls.get(name, ()):
                self.add(call.scope)

    def _keep(self, cls: Class) -> None:
        """A class that holds a loader: its methods, and whoever makes its objects."""
        if cls in self._holders:
            return
        for member in self._flow.classes.family(cls):
            self._holders.add(member)
            for method in member.methods.values():
                self.add(method)
        self._hand_on(cls.name, cls.body.module.path)

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
            imported = facts.globals.get(name, ())
            if any(isinstance(d.value, ex.Imported) for d in imported):
                self.add(facts.module.body)
                self._add_local_readers(facts, name)

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
            if value in seen or not isinstance(
                value, Container | VarArgs | Row | Zipped | Generated
            ):
                continue
            seen.add(value)
            node = containers.elements(self._flow, value)
            self._flow.settle()
            queue.extend(node.values)
        return False

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


def loader_calls(facts: Facts) -> Iterator[ex.Call]:
    """Calls that may make a loader or a sampler, by their names."""
    names = {name for name in facts.calls if LOADERISH.search(name)}
    for name in sorted(names | facts.aliases(_ALIASED)):
        yield from facts.calls.get(name, ())


def _may_be_loader(cls: Class) -> bool:
    """Whether a base has a name that speaks of loaders: others are not resolved."""
    return any(
        isinstance(base, ex.Reference | ex.Attribute) and LOADERISH.search(base.name)
        for base in cls.bases
    )


def _naming_loaders(facts: Facts) -> Iterator[Scope]:
    """Scopes that hand the class itself on: `partial(DataLoader, …)`, `cls = DataLoader`."""
    names = _ALIASED | facts.aliases(_ALIASED)
    for name in sorted(names & facts.passed.keys()):
        yield from (call.scope for call, _ in facts.passed[name])
    for call in facts.calls.get("partial", ()):
        if any(isinstance(v, ex.Attribute) and v.name in names for v in positional(call)[:1]):
            yield call.scope
    for scope in facts.module.scopes:
        for definition in scope.definitions:
            value = definition.value
            if isinstance(value, ex.Reference | ex.Attribute) and value.name in names:
                yield scope


def _reads(scope: Scope, name: str) -> bool:
    return any(
        isinstance(part, ex.Reference) and part.definition is None and part.name == name
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )
