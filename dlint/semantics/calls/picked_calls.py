"""Calls of what a program picks at run time: `MODELS[name](x)`, `make = choose(name); make(x)`.

Question: which calls may enter a function or class that no name at the call tells? Followed: items
of dicts and lists, also in a loop over them, `get` and `pop`, `getattr` by a computed name, and
what functions of the project return of these or by its name, bound to a local name or not. Sought
for what some module puts into a display, a class binds as it is, somebody writes under a key or
returns, for what a module holds that one imports by a text or looks into by `getattr`, and for
methods whose names a module hands to calls as texts, if it asks objects for methods by computed
names; each such call is watched once. Given up on: attributes and globals that hold what was
picked, decorators that keep what they decorate. Bounded by the solver's budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from dlint.ir import expressions as ex
from dlint.ir.looked_at import ask_everywhere
from dlint.ir.module import ModuleIndex, Scope
from dlint.semantics.calls.entering_calls import EnteringCalls, Tell
from dlint.semantics.names.named_modules import named_modules
from dlint.semantics.project import Facts
from dlint.semantics.values.module_names import homes
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import ClassObject, FunctionObject, ModuleValue

_ALL = ""
_LOOKUPS = ("get", "pop")
_STEPS = 3
"""How many functions may hand on what was picked, one to the other."""


class PickedCalls:
    """Finds the calls that enter what is kept in containers; one per `Callers`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._calls = EnteringCalls(solver, "")
        self._kept: set[str] = set()
        self._seeking: defaultdict[str, list[tuple[Scope, Tell]]] = defaultdict(list)
        self._named: set[str] = set()
        """The modules of which somebody may take something by a computed name."""
        self._heard = 0
        """How many of the loaded modules have been looked into."""

    def seek(self, names: Iterable[str], scope: Scope, tell: Tell) -> None:
        """Tell of each call that enters a function which has one of these names."""
        self.hear()
        for name in sorted(names):
            ask_everywhere(kept_names, name)
            if name in self._kept or scope.module.path in self._named:
                self._calls.seek(scope, tell)
            else:
                self._seeking[name].append((scope, tell))

    def hear(self) -> None:
        """Look into the modules that were loaded since."""
        loaded = self._solver.project.loaded
        while self._heard < len(loaded):
            facts = loaded[self._heard]
            self._heard += 1
            self._calls.add(list(self._picked(facts)))
            new = facts.table(kept_names).unnoted().keys() - self._kept
            self._kept |= new
            for name in sorted(new & self._seeking.keys()):
                for scope, tell in self._seeking.pop(name):
                    self._calls.seek(scope, tell)
            self._hear_named(facts)

    def _hear_named(self, facts: Facts) -> None:
        """Look for calls of what modules hold that one looks into by computed names."""
        new = set(self._named_by(facts)) - self._named
        self._named |= new
        for seeking in tuple(self._seeking.values()) if new else ():
            for scope, tell in seeking:
                if scope.module.path in new:
                    self._calls.seek(scope, tell)

    def _named_by(self, facts: Facts) -> Iterator[str]:
        """The modules whose classes and functions a module may take by computed names."""
        for call in facts.calls_of("import_module"):
            yield from named_modules(self._solver.project, call)
        for call in facts.calls_of("getattr"):
            looked = call.arguments[0].value if call.arguments else call.function
            for value in self._solver.names.static(looked, call.scope):
                if isinstance(value, ModuleValue):
                    yield from homes(self._solver, value.module)

    def _picked(self, facts: Facts) -> Iterator[ex.Call]:
        for call in facts.table(picking_calls)[_ALL]:
            if self._picks(call.function):
                yield call

    def _picks(self, expression: ex.Expression, depth: int = 0) -> bool:
        """Whether an expression may be what somebody picks among several."""
        waiting, seen = [expression], set[ex.Expression]()
        while waiting:
            part = ex.unnamed(waiting.pop())
            if part in seen:
                continue
            seen.add(part)
            match part:
                case ex.Subscript() | ex.Element() | ex.Item(value=ex.Element()):
                    return True
                case ex.Call() if self._gives_picked(part, depth):
                    return True
                case ex.Conditional(then=then, otherwise=otherwise):
                    waiting += [then, otherwise]
                case ex.Join(alternatives=parts):
                    waiting += parts
        return False

    def _gives_picked(self, call: ex.Call, depth: int) -> bool:
        """Whether a call may return what was picked: of a dict, or a function of the project."""
        callee = call.function
        if isinstance(callee, ex.Attribute) and callee.name in _LOOKUPS:
            return True
        if isinstance(callee, ex.Reference) and callee.name == "getattr":
            return True
        made = self._solver.names.static(callee, call.scope) if depth < _STEPS else []
        functions = (value.scope for value in made if isinstance(value, FunctionObject))
        return any(self._hands_on(scope, depth + 1) for scope in functions)

    def _hands_on(self, function: Scope, depth: int) -> bool:
        """Whether a function returns what it picks, or a function or class by its name."""
        names = self._solver.names
        return any(
            self._picks(value, depth)
            or any(
                isinstance(v, ClassObject | FunctionObject) for v in names.static(value, function)
            )
            for value in function.returns
        )


def picking_calls(module: ModuleIndex) -> dict[str, list[ex.Call]]:
    """The calls of what may be picked, as far as the code at the call tells."""
    calls = (call for scope in module.scopes for call in scope.calls)
    return {_ALL: [call for call in calls if _may_pick(call.function)]}


def _may_pick(callee: ex.Expression) -> bool:
    """Whether a callee is more than a name that is bound nowhere else, or to what has one."""
    return not isinstance(callee, ex.Attribute) and isinstance(
        ex.unnamed(callee),
        ex.Subscript | ex.Element | ex.Item | ex.Call | ex.Conditional | ex.Join,
    )


def kept_names(module: ModuleIndex) -> dict[str, list[str]]:
    """The names of what a module puts into dicts, lists and classes, and its functions return.

    Or of classes that it decorates: `@register("name")` may keep them.
    """
    return {name: [] for name in _kept_names(module)}


def _kept_names(module: ModuleIndex) -> Iterator[str]:
    yield from (cls.name for cls in module.classes if cls.decorators)
    for scope in module.scopes:
        for definition in scope.definitions:
            yield from _displayed(definition.value)
            yield from _named(definition.value) if scope.kind == "class" else ()
        for store in scope.stores:
            is_item = isinstance(store.target, ex.Subscript)
            yield from _named(store.value) if is_item else _displayed(store.value)
        for value in scope.returns:
            yield from (*_named(value), *_displayed(value))
        for call in scope.calls:
            yield from _displayed(call.function)
    if any(_calls_by_name(call) for scope in module.scopes for call in scope.calls):
        yield from _texts(module)


def _calls_by_name(call: ex.Call) -> bool:
    """`getattr(hook, name)(…)`, by a name that is computed."""
    picked = ex.unnamed(call.function)
    if not isinstance(picked, ex.Call) or picked.name != "getattr" or len(picked.arguments) < 2:
        return False
    return not isinstance(picked.arguments[1].value, ex.Constant)


def _texts(module: ModuleIndex) -> Iterator[str]:
    """The texts that a module hands to calls, and that may be names of methods."""
    calls = (call for scope in module.scopes for call in scope.calls)
    for argument in (argument for call in calls for argument in call.arguments):
        known = ex.constant(argument.value)
        if known is not None and isinstance(known.value, str) and known.value.isidentifier():
            yield known.value


def _displayed(expression: ex.Expression) -> Iterator[str]:
    """The names in a display, also one of which an item is asked for."""
    match expression:
        case ex.Mapping(items=items):
            yield from (name for _, value in items for name in _named(value))
        case ex.Sequence(items=parts):
            yield from (name for part in parts for name in _named(part))
        case ex.Call(name="dict"):
            yield from (name for a in expression.arguments for name in _named(a.value))
        case ex.Subscript(value=value) | ex.Item(value=value) | ex.Element(iterable=value):
            yield from _displayed(value)
        case ex.Call(function=ex.Attribute(value=value)):
            yield from _displayed(value)


def _named(expression: ex.Expression) -> Iterator[str]:
    if isinstance(expression, ex.Reference | ex.Attribute):
        yield expression.own_name
