"""Calls of decorators that hand back what they decorate, as registries do: `@register("name")`.

Question: what is a function of the project given as a decorator? Followed: names, methods, and what
a call of either returns. Given up on: decorators that call what they decorate, or put something
else in its place: what calls they hand on is another question. Each decorator is watched once;
bounded by the solver's budget.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Define, ModuleIndex, Scope
from dlint.semantics.calls import attributes
from dlint.semantics.calls.entering_calls import EnteringCalls, Tell
from dlint.semantics.values.solver import Solver

_ALL = ""


class KeepingDecorators:
    """Finds what decorators are given that hand it back; one per `Callers`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._by_name: dict[str, EnteringCalls] = {}
        self._heard = 0
        """How many of the loaded modules have been looked into."""
        self._is_asked = False

    def seek(self, scope: Scope, tell: Tell) -> None:
        """Tell of each decoration by a function, if it hands back what it is given."""
        if not hands_back(scope):
            return
        self._is_asked = True
        around: Scope | None = scope
        while around is not None and around.kind == "function":
            self._solver.project.load_users(scope.module.path, around.name)
            around = around.parent
        self.hear()
        for name in (_ALL, scope.name):
            self._named(name).seek(scope, tell)

    def hear(self) -> None:
        """Look into the modules that were loaded since, if anybody asks."""
        loaded = self._solver.project.loaded
        while self._is_asked and self._heard < len(loaded):
            facts = loaded[self._heard]
            self._heard += 1
            for call in facts.table(decorations)[_ALL]:
                callee = call.function
                name = callee.name if isinstance(callee, ex.Attribute) else _ALL
                self._named(name).add([call])

    def _named(self, name: str) -> EnteringCalls:
        """The decorations by members of a name; by anything else under no name."""
        if name not in self._by_name:
            self._by_name[name] = EnteringCalls(self._solver, name)
        return self._by_name[name]


@told_by_code
def hands_back(scope: Scope) -> bool:
    """Whether a function returns what it is given first as it is, and does not call it."""
    takes_self = scope.owner is not None and "staticmethod" not in attributes.decorators(scope)
    given = [spec.name for spec in scope.parameters][takes_self:][:1]
    returned = [ex.unnamed(value) for value in scope.returns]
    called = (ex.unnamed(call.function) for call in scope.calls)
    return (
        bool(given and returned)
        and not scope.yields
        and all(isinstance(value, ex.Parameter) and value.name == given[0] for value in returned)
        and not any(value in returned for value in called)
    )


def decorations(module: ModuleIndex) -> dict[str, list[ex.Call]]:
    """The decorations of a module, written as calls of what they decorate with."""
    return {_ALL: list(_decorations(module))}


def _decorations(module: ModuleIndex) -> Iterator[ex.Call]:
    for scope in module.scopes:
        for statement in walk.statements(scope.body):
            for definition in statement.definitions if isinstance(statement, Define) else ():
                value = definition.value
                for decorator in _decorators(value):
                    given = (ex.Argument(decorator.span, value),)
                    yield ex.Call(decorator.span, decorator, given, scope, statement)


def _decorators(value: ex.Expression) -> tuple[ex.Expression, ...]:
    match value:
        case ex.FunctionValue():
            return value.function.decorators
        case ex.ClassValue():
            return value.cls.decorators
    return ()
