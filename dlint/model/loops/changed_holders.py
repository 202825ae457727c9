"""Dicts and lists whose parts a function changes.

Question: does a function write to parts of what a name holds, have a method change it, or hand it
to a function of the project that does? Followed: subscripts, methods of dicts and lists, one call
deep. Given up on: what libraries do with what they are handed, and other names for the same object.
Each function is read once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
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
        names = [isinstance(argument.value, ex.Reference) for argument in call.arguments]
        callees = callees_of(self._context, call) if any(names) else []
        for at, argument in enumerate(call.arguments):
            made = argument.value.definition if isinstance(argument.value, ex.Reference) else None
            if made is not None and any(_writes(c, at, argument.keyword) for c in callees):
                yield made


def written_parts(scope: Scope) -> Iterator[tuple[ex.Subscript, ex.Expression]]:
    """The subscripts that a function writes, each with what it is given."""
    for store in scope.stores:
        if isinstance(store.target, ex.Subscript):
            yield store.target, store.value


def _writes(callee: Scope, position: int, keyword: str | None) -> bool:
    """Whether a function writes to parts of a parameter that it is given there."""
    given = callee.parameters[1 if takes_receiver(callee) else 0 :]
    names = [keyword] if keyword else [spec.name for spec in given[position : position + 1]]
    changing = (call.function for call in callee.calls if call.name in _CHANGING)
    changed = [function.value for function in changing if isinstance(function, ex.Attribute)]
    changed += [target.value for target, _ in written_parts(callee)]
    values = (ex.unnamed(owner) for owner in changed)
    return any(isinstance(value, ex.Parameter) and value.name in names for value in values)
