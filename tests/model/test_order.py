from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir.module import Statement
from dlint.model.order import When, relative_order

BEFORE, AFTER = When.BEFORE, When.AFTER


def _named(context: AnalysisContext, name: str) -> Statement:
    """The statement that calls `name`, or the loop over it."""
    for facts in context.modules:
        for call in facts.calls.get(name, ()):
            return call.statement
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("one()\nother()", {BEFORE}),
        ("other()\none()", {AFTER}),
        ("if x:\n    one()\nelse:\n    other()", set()),
        ("if x:\n    one()\nother()", {BEFORE}),
        ("try:\n    one()\nexcept OSError:\n    other()", {BEFORE}),
        ("try:\n    x\nexcept OSError:\n    one()\nelse:\n    other()", set()),
        ("try:\n    one()\nfinally:\n    other()", {BEFORE}),
        ("for x in y:\n    one()\n    other()", {BEFORE, AFTER}),
        ("for x in y:\n    other()\n    one()", {AFTER}),
        ("for x in y:\n    if x:\n        one()\n    else:\n        other()", set()),
        ("for x in one():\n    other()", {BEFORE}),
        ("for z in y:\n    for x in one():\n        other()", {BEFORE, AFTER}),
        (
            "while x:\n    try:\n        one()\n    except OSError:\n        other()",
            {BEFORE, AFTER},
        ),
        ("with one():\n    other()", {BEFORE}),
        ("match x:\n    case 1:\n        one()\n    case 2:\n        other()", set()),
    ],
)
def test_order_of_statements(
    context: Callable[[str], AnalysisContext], body: str, expected: set[When]
) -> None:
    analysed = context(f"import torch\n{body}\n")
    assert relative_order(_named(analysed, "one"), _named(analysed, "other")) == expected
