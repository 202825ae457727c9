"""Classes that a test lets through: `if issubclass(cls, Base): found = cls`.

Question: which values can a name hold where a test that asks it for its base class has come out?
Classes that derive from the base, as far as both are classes of the project. Followed: tests behind
`and`. Linear in the test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import UNKNOWN, ClassObject, External, Value


def tested_classes(
    solver: Solver, test: ex.Expression, name: ex.Expression, scope: Scope
) -> Callable[[Value], bool] | None:
    """Whether a value passes the test of a name; None where the test asks for no base of it."""
    if not isinstance(name, ex.Reference):
        return None
    asked = [call.arguments[1].value for call in _asking(test, name)]
    bases = {base for part in asked for base in solver.names.static(part, scope)}
    if not bases or not all(isinstance(base, ClassObject) for base in bases):
        return None

    def passes(value: Value) -> bool:
        if isinstance(value, ClassObject):
            return not bases.isdisjoint(solver.classes.lineage(value.cls))
        return value == UNKNOWN or isinstance(value, External)

    return passes


def _asking(test: ex.Expression, name: ex.Reference) -> Iterator[ex.Call]:
    """The parts of a test that ask for a base class of what a name holds."""
    match test:
        case ex.Boolean(operator="and", left=left, right=right):
            yield from (*_asking(left, name), *_asking(right, name))
        case ex.Call(name="issubclass", arguments=(ex.Argument(value=ex.Reference() as asked), _)):
            if ex.unnamed(asked) is ex.unnamed(name):
                yield test
