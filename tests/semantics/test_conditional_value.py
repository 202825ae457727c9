"""What one alternative says of itself."""

from __future__ import annotations

import pytest

from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue
from dlint.semantics.values.values import FALSE, NONE, TRUE, UNKNOWN, External, Literal
from tests.semantics.asked import evaluator_for, questions

QUESTIONS = (
    "is_absent",
    "is_none",
    "is_nothing",
    "is_true",
    "is_false",
    "is_off",
    "is_unknown",
    "is_constant",
    "is_object",
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ABSENT, {"is_absent", "is_nothing", "is_off"}),
        (NONE, {"is_none", "is_nothing", "is_off", "is_constant"}),
        (TRUE, {"is_true", "is_constant"}),
        (FALSE, {"is_false", "is_off", "is_constant"}),
        (UNKNOWN, {"is_unknown"}),
        (Literal.of(0), {"is_constant"}),
        (Literal.of(1), {"is_constant"}),
        (External("torch.Tensor"), set()),
    ],
)
def test_what_holds_of_a_value(value: object, expected: set[str]) -> None:
    alternative = ConditionalValue(value)  # type: ignore[arg-type]
    assert {name for name in QUESTIONS if getattr(alternative, name)} == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Literal.of(4), (4, 4, None)),
        (Literal.of(4.0), (4.0, None, None)),
        (TRUE, (True, None, None)),
        (Literal.of("fork"), ("fork", None, "fork")),
        (NONE, (None, None, None)),
        (ABSENT, (None, None, None)),
        (UNKNOWN, (None, None, None)),
    ],
)
def test_a_constant(value: object, expected: tuple[object, ...]) -> None:
    one = ConditionalValue(value)  # type: ignore[arg-type]
    assert (one.constant, one.integer, one.text) == expected


@pytest.mark.parametrize(
    ("text", "maker", "is_object"),
    [
        ("import torch\nreveal(torch.Generator(device='cuda'))", "torch.Generator", True),
        ("class Own:\n    pass\nreveal(Own())", None, True),
        ("reveal(3)", None, False),
    ],
)
def test_what_makes_an_object(text: str, maker: str | None, is_object: bool) -> None:
    evaluator = evaluator_for(text)
    (call,) = questions(evaluator)
    root = evaluator.solver.root(call.scope)
    (found,) = evaluator.of(call.arguments[0].value, root)
    assert (found.maker, found.is_object) == (maker, is_object)
