"""Choices and operators: conditional expressions, joins, `and`/`or`/`not`, comparisons, arithmetic.

Question: which of several values holds, and when? Each value keeps the outcome of the test that
chose it, unless the test is known; ways that exclude each other are not combined. A test whose
outcome is unknown, or only assumed, is split into both. Bounded by the evaluator's steps.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import conditions, constant_folding, lookups
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluation, Evaluator
from dlint.semantics.values.values import FALSE, TRUE, UNKNOWN, Literal


def conditional(
    evaluator: Evaluator, expression: ex.Conditional, frame: CallContext, depth: int
) -> ConditionalValues:
    """Both sides, each under its condition, unless the test is known."""
    return [
        a.under(path_condition)
        for truth, path_condition in evaluator.outcomes(expression.test, frame, depth)
        for a in evaluator.of(expression.then if truth else expression.otherwise, frame, depth)
        if conditions.compatible(a.path_condition, path_condition)
    ]


def join(
    evaluator: Evaluator, expression: ex.Join, frame: CallContext, depth: int
) -> ConditionalValues:
    """Several by no known test."""
    found = []
    for index, part in enumerate(expression.alternatives):
        condition = Condition(("join", expression), index)
        found += [a.under({condition}) for a in evaluator.of(part, frame, depth)]
    return found


def boolean(
    evaluator: Evaluator, expression: ex.Boolean, frame: CallContext, depth: int
) -> ConditionalValues:
    """`a and b`, `a or b`."""
    stops = expression.operator == "or"
    found: ConditionalValues = []
    for left in _decided(evaluator, expression.left, frame, depth):
        if left.truth is stops:
            found.append(left)
        elif left.truth is None:
            found.append(ConditionalValue(UNKNOWN, left.path_condition))
        else:
            for right in evaluator.of(expression.right, frame, depth):
                if conditions.compatible(left.path_condition, right.path_condition):
                    found.append(right.under(left.path_condition))
    return found


def _decided(
    evaluator: Evaluator, expression: ex.Expression, frame: CallContext, depth: int
) -> ConditionalValues:
    """Alternatives whose truth is known; unknown ones are split into both."""
    found: ConditionalValues = []
    for alternative in evaluator.of(expression, frame, depth):
        if alternative.truth is not None and alternative.assumed is None:
            found.append(alternative)
            continue
        for truth, value in ((True, TRUE), (False, FALSE)):
            path_condition = alternative.path_condition | {
                conditions.of_test(expression, frame, truth)
            }
            found.append(ConditionalValue(value, path_condition, source=expression))
    return found


def unary(
    evaluator: Evaluator, expression: ex.Unary, frame: CallContext, depth: int
) -> ConditionalValues:
    """`not x` of each alternative; signs of numbers."""
    if expression.operator == "not":
        return [
            replace(a, value=Literal.of(not a.truth))
            for a in _decided(evaluator, expression.operand, frame, depth)
        ]
    return [
        replace(a, value=constant_folding.signed(expression.operator, a.value))
        for a in evaluator.of(expression.operand, frame, depth)
    ]


def comparison(
    evaluator: Evaluator, expression: ex.Comparison, frame: CallContext, depth: int
) -> ConditionalValues:
    """Comparisons of known values; others are split into true and false."""
    held = lookups.membership(evaluator, expression, frame, depth)
    if held is not None:
        return held
    found: ConditionalValues = []
    for left in evaluator.of(expression.left, frame, depth):
        for right in evaluator.of(expression.right, frame, depth):
            if not conditions.compatible(left.path_condition, right.path_condition):
                continue
            path_condition = left.path_condition | right.path_condition
            truth = constant_folding.compare(expression.operator, left.value, right.value)
            assumed = left.assumed or right.assumed
            if truth is not None and assumed is None:
                found.append(ConditionalValue(Literal.of(truth), path_condition, source=expression))
                continue
            for value in (True, False):
                condition = conditions.of_test(expression, frame, value)
                found.append(
                    ConditionalValue(
                        Literal.of(value), path_condition | {condition}, source=expression
                    )
                )
    return found


def binary(
    evaluator: Evaluator, expression: ex.Binary, frame: CallContext, depth: int
) -> ConditionalValues:
    """Arithmetic on known numbers."""
    return [
        ConditionalValue(
            constant_folding.arithmetic(expression.operator, left.value, right.value),
            left.path_condition | right.path_condition,
            left.assumed or right.assumed,
            expression,
        )
        for left in evaluator.of(expression.left, frame, depth)
        for right in evaluator.of(expression.right, frame, depth)
        if conditions.compatible(left.path_condition, right.path_condition)
    ]


EXPRESSIONS: dict[type, Evaluation] = {
    ex.Conditional: conditional,
    ex.Join: join,
    ex.Boolean: boolean,
    ex.Unary: unary,
    ex.Comparison: comparison,
    ex.Binary: binary,
}
"""How choices and operators are evaluated."""
