"""Choices and operators: conditional expressions, joins, `and`/`or`/`not`, comparisons, arithmetic.

Question: which of several values holds, and when? Each value keeps the outcome of the test that
chose it, unless the test is known; ways that exclude each other are not combined. A test whose
outcome is unknown, or only assumed, is split into both. Bounded by the evaluator's steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter

from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import conditions, constant_folding, lookups
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.conditions import Condition, Conditions
from dlint.semantics.values.evaluator import Evaluation, Evaluator
from dlint.semantics.values.made_devices import device_is_text
from dlint.semantics.values.values import FALSE, TRUE, Literal


def conditional(
    evaluator: Evaluator, expression: ex.Conditional, frame: CallContext, depth: int
) -> ConditionalValues:
    """Both sides, each under its condition, unless the test is known.

    Of `4 if x is None else x`, where None is a default that nobody gives another value, it is 4 by
    that default.
    """
    test = expression.test
    found, ruled_out = list[tuple[bool, ConditionalValue]](), list[tuple[bool, ConditionalValue]]()
    for truth, path_condition in evaluator.outcomes(test, frame, depth):
        side = expression.then if truth else expression.otherwise
        is_asked = _is_asked(test, side, frame)
        for a in evaluator.of(side, frame, depth):
            if conditions.compatible(a.path_condition, path_condition):
                is_out = is_asked and _is_ruled_out(a, test, truth)
                (ruled_out if is_out else found).append((truth, a.under(path_condition)))
    return [_by_default(a, truth, ruled_out) for truth, a in found]


def _by_default(
    alternative: ConditionalValue, truth: bool, ruled_out: list[tuple[bool, ConditionalValue]]
) -> ConditionalValue:
    """One side, which holds by a default where that is all that the other side cannot be."""
    others = [a for side, a in ruled_out if side is not truth]
    if alternative.assumed is not None or not others or any(a.assumed is None for a in others):
        return alternative
    is_left = any(a.is_left for a in others)
    return replace(alternative, assumed=others[0].assumed, is_left=is_left)


def _is_asked(test: ex.Expression, side: ex.Expression, frame: CallContext) -> bool:
    """Whether a test asks about the value that a side is: `4 if x is None else x`."""
    while isinstance(test, ex.Unary) and test.operator == "not":
        test = test.operand
    asked = test.left if isinstance(test, ex.Comparison) else test
    return conditions.key(asked, frame) == conditions.key(side, frame)


def _is_ruled_out(alternative: ConditionalValue, test: ex.Expression, truth: bool) -> bool:
    """Whether a test of a value would have come out otherwise for this one."""
    while isinstance(test, ex.Unary) and test.operator == "not":
        test, truth = test.operand, not truth
    if not isinstance(alternative.value, Literal):
        return False
    outcome = alternative.truth
    if isinstance(test, ex.Comparison):
        other = ex.constant(test.right)
        value = None if other is None else Literal.of(other.value)
        outcome = constant_folding.compare(test.operator, alternative.value, value)
    return outcome is not None and outcome is not truth


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
    """`a and b`, `a or b`: as `b if a else a` and `a if a else b` are.

    Of a left side that is not known, what it gives is True or False.
    """
    stops = expression.operator == "or"
    found, ruled_out = list[tuple[bool, ConditionalValue]](), list[tuple[bool, ConditionalValue]]()
    for truth, path_condition in evaluator.outcomes(expression.left, frame, depth):
        is_left = truth is stops
        for a in evaluator.of(expression.left if is_left else expression.right, frame, depth):
            if not conditions.compatible(a.path_condition, path_condition):
                continue
            is_out = is_left and a.truth is (not truth)
            value = replace(a, value=TRUE if truth else FALSE) if is_left and a.truth is None else a
            (ruled_out if is_out else found).append((truth, value.under(path_condition)))
    return [_by_default(a, truth, ruled_out) for truth, a in found]


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
    told = device_is_text(evaluator.solver, expression, frame.scope)
    if told is not None:
        return [ConditionalValue(Literal.of(told), source=expression)]
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


Granted = Callable[[ConditionalValue], bool]
"""Whether a value is taken to hold, though another one might be given."""


def outcomes_in_calls(
    evaluator: Evaluator,
    test: ex.Expression,
    frame: CallContext,
    holds: Granted = attrgetter("holds_in_calls"),
) -> list[tuple[bool, Conditions]]:
    """The ways a test may come out in the calls that the project makes, with what each of them
    takes for granted: what all of them leave to a default is that, and so is whatever `holds`.
    """
    match test:
        case ex.Unary(operator="not"):
            found = outcomes_in_calls(evaluator, test.operand, frame, holds)
            return [(not truth, path_condition) for truth, path_condition in found]
        case ex.Boolean():
            return list(_of_both(evaluator, test, frame, holds))
        case ex.Comparison() if (t := _held_alike(evaluator, test, frame, holds)) is not None:
            return [(t, conditions.ALWAYS)]
    return evaluator.outcomes(test, frame, 0, holds)


def _of_both(
    evaluator: Evaluator, test: ex.Boolean, frame: CallContext, holds: Granted
) -> Iterator[tuple[bool, Conditions]]:
    """`a and b`, `a or b`: the right side counts where the left one does not decide."""
    stops = test.operator == "or"
    for left, taken in outcomes_in_calls(evaluator, test.left, frame, holds):
        if left is stops:
            yield stops, taken
            continue
        for right, also in outcomes_in_calls(evaluator, test.right, frame, holds):
            if conditions.compatible(taken, also):
                yield right, taken | also


def _held_alike(
    evaluator: Evaluator, test: ex.Comparison, frame: CallContext, holds: Granted
) -> bool | None:
    """How a comparison with something that is assumed, and holds, comes out."""
    sides = [evaluator.of(side, frame) for side in (test.left, test.right)]
    if not any(a.assumed is not None and holds(a) for side in sides for a in side):
        return None
    if not all(holds(a) for side in sides for a in side):
        return None
    found = {
        constant_folding.compare(test.operator, left.value, right.value)
        for left in sides[0]
        for right in sides[1]
    }
    return found.pop() if len(found) == 1 else None


EXPRESSIONS: dict[type, Evaluation] = {
    ex.Conditional: conditional,
    ex.Join: join,
    ex.Boolean: boolean,
    ex.Unary: unary,
    ex.Comparison: comparison,
    ex.Binary: binary,
}
"""How choices and operators are evaluated."""
