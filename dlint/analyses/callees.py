"""Who is called by the code of one object: in its constructor, or in a worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.library_facts.readers import MAPPING_FUNCTIONS, MAPPING_METHODS
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import ClassObject, External, FunctionObject, Instance, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project, with the object it is called on and the frame it closes over."""

    scope: Scope
    receiver: Instance | None = None
    closure: CallContext | None = None


Target = External | ClassObject | Function


def method_scope(scope: Scope) -> Scope | None:
    """The method that a scope is, or is nested in."""
    current: Scope | None = scope
    while current is not None and current.owner is None:
        current = current.parent
    return current if current is not None and current.kind == "function" else None


def is_self(expression: ex.Expression, scope: Scope) -> bool:
    """Whether an expression is the object whose method `scope` is (or is nested in)."""
    method = method_scope(scope)
    if method is None or not method.parameters or not calls.takes_receiver(method):
        return False
    if not isinstance(expression, ex.Reference) or expression.name != method.parameters[0].name:
        return False
    definition = expression.definition
    return definition is None or isinstance(definition.value, ex.Parameter)


def own_attribute(expression: ex.Expression, scope: Scope) -> str | None:
    """The name of an attribute of the method's object: `x` of `self.x`."""
    own = isinstance(expression, ex.Attribute) and is_self(expression.value, scope)
    return expression.name if own and isinstance(expression, ex.Attribute) else None


def root_name(expression: ex.Expression, scope: Scope | None = None) -> str | None:
    """The name that a container is reached from: `d` of `d["a"].b`, `d.setdefault(k, [])`.

    With `scope`, attributes of the method's object are `self.x`, whatever its name is.
    """
    while True:
        if isinstance(expression, ex.Attribute):
            if scope is not None and is_self(expression.value, scope):
                return f"self.{expression.name}"
            expression = expression.value
        elif isinstance(expression, ex.Subscript):
            expression = expression.value
        elif isinstance(expression, ex.Call) and isinstance(expression.function, ex.Attribute):
            expression = expression.function.value
        else:
            return expression.name if isinstance(expression, ex.Reference) else None


class Targets:
    """Resolves callees by names, and by the class of the object; None for plain functions."""

    def __init__(self, context: AnalysisContext, cls: Class | None) -> None:
        self._flow = context.solver
        self._cls = cls
        self._lineage = [] if cls is None else self._flow.classes.ancestors(cls)
        self._elements: dict[ex.Call, CallArguments] = {}
        self.made_by: list[CallContext] = []
        """The activations of the constructor by class methods that hand back what they make."""

    def of(self, function: ex.Expression, frame: CallContext, depth: int = _DEPTH) -> list[Target]:
        """What a callee may be; [] where it is not known."""
        if depth == 0:
            return []
        method = self._method(function, frame)
        if method is not None:
            return [method]
        found: list[Target] = []
        for value in self._flow.names.static(function, frame.scope):
            if isinstance(value, External | ClassObject):
                found.append(value)
            elif isinstance(value, FunctionObject):
                inner = value.scope.parent is frame.scope
                found.append(Function(value.scope, closure=frame if inner else None))
        return found or self._held(function, frame, depth)

    def _method(self, function: ex.Expression, frame: CallContext) -> Function | None:
        """`self.name`, `super().name`, `Base.name` with the object handed on."""
        if not isinstance(function, ex.Attribute):
            return None
        owner = self.owner(frame.scope, frame.receiver)
        if is_self(function.value, frame.scope):
            scope = None if owner is None else self._flow.classes.method(owner, function.name)
        elif isinstance(function.value, ex.Call) and function.value.name == "super":
            scope = self._upward(frame.scope, owner, function.name)
        else:
            return None
        if scope is None or attributes.decorators(scope) & {"property", "cached_property"}:
            return None
        plain = "staticmethod" in attributes.decorators(scope)
        return Function(scope, None if plain else self._object(scope, owner))

    def _object(self, scope: Scope, owner: Class | None = None) -> Instance | None:
        """The object that a method is called on: one of `owner`, where that is known."""
        cls = owner or self._cls or scope.owner
        return None if cls is None else Instance(cls)

    def owner(self, scope: Scope, receiver: Value | None = None) -> Class | None:
        """The class that `self` is of: the one asked about, unless it is another object.

        Of that one the class is known where it is the `receiver` of the call.
        """
        method = method_scope(scope)
        owner = None if method is None else method.owner
        if owner in self._lineage:
            return self._cls
        cls = None if receiver is None else attributes.project_class(receiver)
        is_derived = cls is not None and owner in self._flow.classes.ancestors(cls)
        return cls if is_derived else owner

    def _upward(self, scope: Scope, owner: Class | None, name: str) -> Scope | None:
        """The next method of a name in the ancestors of an object's class, behind a scope's own."""
        method = method_scope(scope)
        lineage = () if owner is None else self._flow.classes.ancestors(owner)
        if method is None or method.owner not in lineage:
            return None
        for ancestor in lineage[lineage.index(method.owner) + 1 :]:
            if name in ancestor.methods:
                return ancestor.methods[name]
        return None

    def _held(self, function: ex.Expression, frame: CallContext, depth: int) -> list[Target]:
        """A function that a parameter or an attribute of the object holds."""
        if isinstance(function, ex.Reference) and function.definition is not None:
            function = function.definition.value
        if isinstance(function, ex.Parameter):
            given = self.argument(function.name, frame) or self._default(function.name, frame)
            return [] if given is None else self.of(given[0], given[1], depth - 1)
        if isinstance(function, ex.Attribute) and is_self(function.value, frame.scope):
            found = []
            for store, where in self._stores(function.name):
                found += self.of(store, where, depth - 1)
            return found
        return []

    def _stores(self, name: str) -> Iterator[tuple[ex.Expression, CallContext]]:
        """What the constructors of the lineage write to an attribute of the object."""
        for ancestor in self._lineage:
            init = ancestor.methods.get("__init__")
            for store in init.stores if init is not None else ():
                target = store.target
                if isinstance(target, ex.Attribute) and target.name == name:
                    yield store.value, self._flow.root(store.scope)

    # -- arguments

    def argument(self, name: str, frame: CallContext) -> tuple[ex.Expression, CallContext] | None:
        """The expression that an activation's parameter was given, and where it stands."""
        return frame.given(name)

    def arguments(
        self, name: str, frame: CallContext
    ) -> Iterator[tuple[ex.Expression, CallContext]]:
        """The same, and what class methods give to the constructor where no call of it is known."""
        frames = [f for f in self.made_by if f.scope is frame.scope] if frame.call is None else []
        given = (self.argument(name, each) for each in (frame, *frames))
        yield from (each for each in given if each is not None)

    def _default(self, name: str, frame: CallContext) -> tuple[ex.Expression, CallContext] | None:
        spec = next((s for s in frame.scope.parameters if s.name == name), None)
        if spec is None or spec.default is None:
            return None
        return spec.default, self._flow.root(frame.scope.parent or frame.scope)

    # -- frames

    def entered(self, call: ex.Call, frame: CallContext) -> list[CallContext]:
        """The activations of project functions that a call makes, mapped functions included."""
        found = self.mapped(call, frame)
        for target in self.of(call.function, frame):
            if isinstance(target, Function):
                passed = _passed(call, frame, explicit=_hands_self_on(call, target, frame))
                found += self.enter(target, call, passed, frame)
        return found

    def handed_on(self, name: str, frame: CallContext) -> Iterator[tuple[str, CallContext]]:
        """The activations that are given what a name of a function holds, as which parameter.

        Of names of the method's object, such as `self.x`, too.
        """
        for call in frame.scope.calls:
            given = (root_name(argument.value, frame.scope) for argument in call.arguments)
            for inner in self.entered(call, frame) if name in given else ():
                for spec in inner.scope.parameters:
                    passed = inner.given(spec.name)
                    if passed is not None and _is_named(passed[0], name, frame.scope):
                        yield spec.name, inner

    def enter(
        self, target: Function, call: ex.Call, passed: CallArguments, frame: CallContext
    ) -> list[CallContext]:
        """The activation of one function; none where calls nest too deep or recur."""
        receiver = target.receiver
        if receiver is None and _hands_self_on(call, target, frame):
            receiver = self._object(target.scope)
        closure = target.closure or self._flow.root(target.scope.parent or target.scope)
        entered = self._flow.frames.enter(target.scope, call, passed, frame, closure, receiver)
        return [] if entered.call is None else [entered]

    def mapped(self, call: ex.Call, frame: CallContext) -> list[CallContext]:
        """`map(f, xs)`, `pool.map(f, xs)`: f called with an element of xs."""
        over = mapping(call, self.of(call.function, frame))
        if over is None:
            return []
        function, iterables = over
        elements = tuple((ex.Argument(i.span, ex.Element(i.span, i)), frame) for i in iterables)
        passed = self._elements.setdefault(call, CallArguments(elements))
        return [
            entered
            for target in self.of(function, frame)
            if isinstance(target, Function)
            for entered in self.enter(target, call, passed, frame)
        ]


def mapping(
    call: ex.Call, targets: list[Target]
) -> tuple[ex.Expression, list[ex.Expression]] | None:
    """The function that a call applies to every element, and to the elements of what."""
    values = positional(call)
    if not values:
        return None
    paths = {t.path for t in targets if isinstance(t, External)}
    callee = call.function
    if paths & MAPPING_FUNCTIONS:
        return (values[0], values[1:]) if len(values) > 1 else None
    if targets or not isinstance(callee, ex.Attribute) or call.name not in MAPPING_METHODS:
        return None
    return values[0], values[1:] or [callee.value]


def _is_named(expression: ex.Expression, name: str, scope: Scope) -> bool:
    """Whether an expression is a name, or an attribute of the method's object, as a whole."""
    plain = isinstance(expression, ex.Reference | ex.Attribute)
    return plain and root_name(expression, scope) == name


def _passed(call: ex.Call, frame: CallContext, *, explicit: bool) -> CallArguments:
    """The arguments of a call; `Base.__init__(self, …)` names its object itself."""
    given = call.arguments[1:] if explicit else call.arguments
    return CallArguments.of(given, frame)


def _hands_self_on(call: ex.Call, target: Function, frame: CallContext) -> bool:
    """Whether a method is called as a function of its class, with the object first."""
    first = written(call, 0)
    if target.receiver is not None or target.scope.owner is None or first is None:
        return False
    return calls.takes_receiver(target.scope) and is_self(first, frame.scope)


def held_as(context: AnalysisContext, name: str, scope: Scope) -> Iterator[tuple[str, Scope]]:
    """A local name, and the parameters of functions that are given what it holds, one by the other.

    Each with its function.
    """
    targets, waiting = Targets(context, None), [(name, context.solver.root(scope))]
    seen = set[tuple[str, Scope]]()
    while waiting:
        name, frame = waiting.pop()
        if (name, frame.scope) not in seen:
            seen.add((name, frame.scope))
            yield name, frame.scope
            waiting += targets.handed_on(name, frame)
