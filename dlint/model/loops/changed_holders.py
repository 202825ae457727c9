"""Dicts and lists whose parts a function changes.

Question: does a function write to parts of what a name holds, have a method change it, or hand it
to a function of the project that does? Followed: subscripts, methods of dicts and lists, `DEEP`
calls one inside the other. Given up on: what libraries do with what they are handed, and other
names for the same object. Each function is read once, and once for each parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import DEEP
from dlint.ir import expressions as ex
from dlint.model.loops.loss_names import definition_of
from dlint.semantics.calls.calls import takes_receiver

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

_CHANGING = frozenset({"update", "pop", "popitem", "clear", "setdefault", "append", "extend"})
"""Methods of dicts and lists after which they hold something else."""


class ChangedHolders:
    """What the functions of a program change of what names hold."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._changed: dict[Scope, frozenset[ex.Definition]] = {}
        self._written: dict[Scope, frozenset[ex.Definition]] = {}
        self._writing: dict[tuple[Scope, str], bool] = {}

    def is_rewritten(self, holder: ex.Definition, scope: Scope) -> bool:
        """Whether a function writes to some part of what a name holds, or changes it."""
        if scope not in self._written:
            made = (definition_of(target) for target, _ in written_parts(scope))
            self._written[scope] = frozenset(one for one in made if one is not None)
        return holder in self._written[scope] or self.is_changed(holder, scope)

    def is_changed(self, holder: ex.Definition, scope: Scope) -> bool:
        """Whether a method, or a function that is handed it, changes what a name holds."""
        if scope not in self._changed:
            self._changed[scope] = frozenset(self._changes(scope))
        return holder in self._changed[scope]

    def _changes(self, scope: Scope) -> Iterator[ex.Definition]:
        for call in scope.calls:
            owner = call.function.value if isinstance(call.function, ex.Attribute) else None
            made = owner.definition if isinstance(owner, ex.Reference) else None
            if made is not None and call.name in _CHANGING:
                yield made
            yield from self._changed_by(call)

    def _changed_by(self, call: ex.Call) -> Iterator[ex.Definition]:
        for argument, callee, name in self._handed(call):
            made = argument.definition
            if made is not None and self._writes(callee, name):
                yield made

    def _handed(self, call: ex.Call) -> Iterator[tuple[ex.Reference, Scope, str]]:
        """The names that a call hands on, each with a function and its parameter that takes it."""
        given = [(at, a.keyword, a.value) for at, a in enumerate(call.arguments)]
        names = [(at, key, value) for at, key, value in given if isinstance(value, ex.Reference)]
        callees = callees_of(self._context, call) if names else []
        for at, keyword, value in names:
            for callee in callees:
                yield from ((value, callee, name) for name in _taking(callee, at, keyword))

    def _writes(self, scope: Scope, parameter: str) -> bool:
        """Whether a function, or one that it hands a parameter on to, writes to parts of it."""
        if (scope, parameter) not in self._writing:
            self._writing[scope, parameter] = any(
                name in _written_parameters(one) for one, name in self._reached(scope, parameter)
            )
        return self._writing[scope, parameter]

    def _reached(self, scope: Scope, parameter: str) -> Iterator[tuple[Scope, str]]:
        """A parameter, and those of other functions that it is handed on as."""
        level, seen = [(scope, parameter)], {(scope, parameter)}
        for _ in range(DEEP):
            yield from level
            further = [pair for one, name in level for pair in self._handed_on(one, name)]
            level = [pair for pair in dict.fromkeys(further) if pair not in seen]
            seen.update(level)

    def _handed_on(self, scope: Scope, parameter: str) -> Iterator[tuple[Scope, str]]:
        for call in scope.calls:
            if any(_is_of(argument.value, parameter) for argument in call.arguments):
                handed = self._handed(call)
                yield from ((callee, n) for a, callee, n in handed if _is_of(a, parameter))


def written_parts(scope: Scope) -> Iterator[tuple[ex.Subscript, ex.Expression]]:
    """The subscripts that a function writes, each with what it is given."""
    for store in scope.stores:
        if isinstance(store.target, ex.Subscript):
            yield store.target, store.value


def _taking(callee: Scope, position: int, keyword: str | None) -> list[str]:
    """The parameter that takes an argument, if one does."""
    given = callee.parameters[1 if takes_receiver(callee) else 0 :]
    return [keyword] if keyword else [spec.name for spec in given[position : position + 1]]


def _written_parameters(scope: Scope) -> set[str]:
    """The parameters to parts of which a function writes by itself."""
    changing = (call.function for call in scope.calls if call.name in _CHANGING)
    changed = [function.value for function in changing if isinstance(function, ex.Attribute)]
    changed += [target.value for target, _ in written_parts(scope)]
    values = (ex.unnamed(owner) for owner in changed)
    return {value.name for value in values if isinstance(value, ex.Parameter)}


def _is_of(argument: ex.Expression, parameter: str) -> bool:
    """Whether an argument is a parameter of the function that hands it on."""
    value = ex.unnamed(argument)
    return isinstance(value, ex.Parameter) and value.name == parameter
