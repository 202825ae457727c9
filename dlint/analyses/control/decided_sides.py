"""Choices that the tests around a name decide.

Question: where a name was bound on one side of a test, and is read behind the same test again,
which side is it? Followed: tests of local names that still stand for what they did, and of
attributes that the function does not write. Given up on: tests that make calls, and any other.
"""

from __future__ import annotations

from dlint.analyses.control.narrowing import conjuncts
from dlint.analyses.control.path_tests import tests_before
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope


def decided_side(choice: ex.Conditional, name: ex.Reference, scope: Scope) -> ex.Expression | None:
    """The side of a choice that a name stands for where it is read; None where both may be."""
    spelling = _spelling(choice.test, scope)
    if spelling is None:
        return None
    for whole, outcome in tests_before(scope, name.span):
        for test, truth in conjuncts(whole, truth=outcome):
            if test is not choice.test and _spelling(test, scope) == spelling:
                return choice.then if truth else choice.otherwise
    return None


def _spelling(test: ex.Expression, scope: Scope) -> tuple[object, ...] | None:
    """What a test asks, so that equal ones come out alike; None where that is not known."""
    found: list[object] = []
    for part in walk.walk(test):
        match part:
            case ex.Reference():
                found += (part.name, part.definition)
            case ex.Attribute() if not _is_written(part, scope):
                found.append(part.name)
            case ex.Constant():
                found.append(repr(part.value))
            case ex.Comparison():
                found.append(part.operator)
            case ex.Unary() | ex.Boolean():
                found.append(part.operator)
            case _:
                return None
    return tuple(found)


def _is_written(attribute: ex.Attribute, scope: Scope) -> bool:
    return any(
        isinstance(store.target, ex.Attribute) and store.target.name == attribute.name
        for store in scope.stores
    )
