"""Tests of an index that only one behind the last sample comes to.

Question: does a test in `__getitem__` come out so for no index that a sampler draws? Followed: the
index compared with a length, and a search whose rounds compare the index, of which the test asks
whether it has found anything. Given up on: lengths that are no call, and what else a name is bound
to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import is_call_to
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Scope

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_BEYOND = {">=": True, ">": True, "<": False, "<=": False}
_TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}
_UNFOUND = {"is": True, "==": True, "is not": False, "!=": False}


def is_beyond_last(
    context: AnalysisContext, test: ex.Expression, truth: bool, getter: Scope
) -> bool:
    """Whether a test comes out so only for an index behind the last, which no sampler draws."""
    if not isinstance(test, ex.Comparison) or len(getter.parameters) < len(("self", "index")):
        return False
    return _exceeds_length(context, test, truth, getter) or _is_unfound(test, truth, getter)


def _exceeds_length(
    context: AnalysisContext, test: ex.Comparison, truth: bool, getter: Scope
) -> bool:
    """`index >= len(self)`."""
    operator, index, length = test.operator, test.left, test.right
    if not isinstance(index, ex.Reference):
        operator, index, length = _TURNED.get(operator, ""), length, index
    if not _is_index(index, getter):
        return False
    if not isinstance(length, ex.Call) or _BEYOND.get(operator) is not truth:
        return False
    is_asked = isinstance(length.function, ex.Attribute) and length.name == "__len__"
    return is_asked or is_call_to(context, length, {"builtins.len"})


def _is_unfound(test: ex.Comparison, truth: bool, getter: Scope) -> bool:
    """`found is None`, of what only rounds of a search bind that compare the index."""
    found, nothing = test.left, test.right
    if not isinstance(found, ex.Reference) or not _is_none(nothing):
        return False
    binds = [
        statement
        for statement in walk.statements(getter.body)
        if isinstance(statement, Bind)
        for bound in statement.definitions
        if bound.name == found.name and not _is_none(ex.unpacked(bound.value))
    ]
    return (
        _UNFOUND.get(test.operator) is truth
        and bool(binds)
        and all(_is_in_search(statement, getter) for statement in binds)
    )


def _is_none(value: ex.Expression) -> bool:
    return isinstance(value, ex.Constant) and value.value is None


def _is_in_search(statement: Bind, getter: Scope) -> bool:
    """Whether a round of a loop binds something where it has compared the index with others."""
    compared = (
        side
        for test, _ in walk.tests(statement)
        if isinstance(test, ex.Comparison) and test.operator in _BEYOND
        for side in (test.left, test.right)
    )
    in_round = any(walk.enclosing_loops(statement))
    return in_round and any(_is_index(side, getter) for side in compared)


def _is_index(part: ex.Expression, getter: Scope) -> bool:
    made = part.definition.value if isinstance(part, ex.Reference) and part.definition else None
    return isinstance(made, ex.Parameter) and made.name == getter.parameters[1].name
