"""Tests of parameters that a call of the project leaves to their defaults.

Question: can a path condition hold in the activation that it speaks of? What the call gives is
known of itself; of what it leaves out the default holds there, though another call may give more.
Followed: a parameter alone, and one that is compared with a constant. Linear in the conditions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.values.conditional_value import ConditionalValue
    from dlint.semantics.values.conditions import Condition, Conditions


def may_hold(context: AnalysisContext, conditions: Conditions) -> bool:
    """Whether no condition says of a parameter what the default that a call leaves it is not."""
    return not any(_is_of_another_call(context, condition) for condition in conditions)


def _is_of_another_call(context: AnalysisContext, condition: Condition) -> bool:
    tested, operator, constant = condition.test, None, None
    if isinstance(tested, tuple) and len(tested) == 3:
        operator, tested, right = tested
        constant = _constant(right)
        if constant is None:
            return False
    match tested:
        case (ex.Definition(value=ex.Parameter() as left_out), CallContext() as frame):
            found = [] if frame.call is None else context.evaluator.of(left_out, frame)
        case _:
            return False
    truths = {_truth(a, operator, constant) if a.is_left else None for a in found}
    return truths == {not condition.outcome}


def _constant(key: object) -> Literal | None:
    """The constant that is half of a test, as tests are compared by."""
    match key:
        case (type(), None | bool() | int() | float() | str() as value):
            return Literal.of(value)
    return None


def _truth(value: ConditionalValue, operator: object, constant: Literal | None) -> bool | None:
    if constant is None or not isinstance(operator, str):
        return value.truth
    return constant_folding.compare(operator, value.value, constant)
