"""Where a program reads a property, and so runs its getter.

Question: which expressions run the getter of a property? Followed: reads of an attribute of its
name, on what the solver knows for an object of its class, or of one that inherits it. Given up on:
`getattr`, objects that are not known, and properties that keep their value after the first read.
Linear in the code of the reached scopes, for each getter that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement


class PropertyRead(NamedTuple):
    """One place that runs a getter."""

    part: ex.Attribute
    statement: Statement
    scope: Scope

    @property
    def is_certain(self) -> bool:
        """Whether each run of the statement reads it, once: no part of it decides or repeats."""
        deciding = ex.Conditional | ex.Boolean | ex.Comprehension
        whole = (p for e in walk.expressions(self.statement) for p in walk.walk(e))
        return not any(self.part in walk.walk(p) for p in whole if isinstance(p, deciding))


def property_reads(context: AnalysisContext, getter: Scope) -> Iterator[PropertyRead]:
    """The places that run a getter; none where it is no property."""
    if getter.owner is None or "property" not in attributes.decorators(getter):
        return
    for scope in context.reached():
        for statement in walk.statements(scope.body):
            for expression in walk.expressions(statement):
                for part in walk.walk(expression):
                    if isinstance(part, ex.Attribute) and _runs(context, part, scope, getter):
                        yield PropertyRead(part, statement, scope)


def _runs(context: AnalysisContext, part: ex.Attribute, scope: Scope, getter: Scope) -> bool:
    if part.name != getter.name:
        return False
    classes = (attributes.project_class(v) for v in context.values(part.value, scope))
    method = context.solver.classes.method
    return any(cls is not None and method(cls, part.name) is getter for cls in classes)
