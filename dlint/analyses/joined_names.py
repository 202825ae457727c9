"""All that a local name is bound to, as one expression.

Question: what may a name of a scope hold before a loop. A name with several bindings is their join;
one object a name, so that the solver's memory of it is shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Loop, Scope


class JoinedNames:
    """The joins of the names of all scopes, each made once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._solver = context.solver
        self._joins: dict[tuple[Scope, str], ex.Join] = {}

    def before(self, scope: Scope, loop: Loop) -> Iterator[tuple[str, ex.Expression]]:
        """The local names that are bound before a loop in its scope, the latest first."""
        for definition in reversed(scope.definitions):
            if definition.span[0] < loop.span[0]:
                yield definition.name, self._joined(scope, definition.name, definition.value)

    def _joined(self, scope: Scope, name: str, value: ex.Expression) -> ex.Expression:
        """All that a name is bound to in a scope."""
        found = tuple(d.value for d in self._solver.bindings(scope, name))
        if len(found) < 2:
            return value
        return self._joins.setdefault((scope, name), ex.Join(value.span, found))
