"""ReplaceExpression: the new text means the same wherever it is put."""

from __future__ import annotations

import pytest

from dlint.findings.operations import CallMethod, ReplaceExpression


@pytest.mark.parametrize(
    ("text", "piece", "new", "after"),
    [
        ("f(OLD)", "OLD", "a or b", "f(a or b)"),
        ("x = OLD", "OLD", "a or b", "x = a or b"),
        ("OLD.b", "OLD", "a or b", "(a or b).b"),
        ("OLD.b", "OLD", "c.d[0]", "c.d[0].b"),
        ("OLD.b", "OLD", "1", "(1).b"),
        ("(OLD).b", "OLD", "a or b", "(a or b).b"),
        ("OLD * 2", "OLD", "a + b", "(a + b) * 2"),
        ("OLD * 2", "OLD", "(a + b)", "(a + b) * 2"),
        ("OLD * 2", "OLD", "(a) + (b)", "((a) + (b)) * 2"),
        ("f(OLD, 1)", "OLD", "a, b", "f((a, b), 1)"),
        ("f(OLD, 1)", "OLD", "(a, b)", "f((a, b), 1)"),
        ("return_(OLD)", "OLD", "a", "return_(a)"),
        ("x = y if not[OLD]else z", "[OLD]", "a", "x = y if not(a)else z"),
        ('f"{OLD}"', "OLD", "{1: 2}", 'f"{({1: 2})}"'),
        ("x[OLD]", "OLD", "a if b else c", "x[a if b else c]"),
        ("f(g(OLD), OLD)", "g(OLD)", "h", "f(h, OLD)"),
    ],
)
def test_replaces(lowered, find, text, piece, new, after):
    assert lowered(text, ReplaceExpression(find(text, piece), new)) == after


def test_replaces_only_an_expression(lowered, find):
    text = "x = a + b\n"
    assert lowered(text, ReplaceExpression(find(text, "= a"), "1")) is None
    assert lowered(text, ReplaceExpression(find(text, "a"), "not an expression")) is None


def test_contradicting_operations_cannot_be_lowered(lowered, find):
    place = find("f(a)", "a")
    assert lowered("f(a)", ReplaceExpression(place, "b"), ReplaceExpression(place, "c")) is None


@pytest.mark.parametrize(
    ("text", "piece", "after"),
    [
        ("f(x[:, ::-1])", "x[:, ::-1]", "f(x[:, ::-1].copy())"),
        ("y = (x[::-1])", "x[::-1]", "y = (x[::-1].copy())"),
        ("y = np.flip(x, 1) / 2", "np.flip(x, 1)", "y = np.flip(x, 1).copy() / 2"),
        ("y = a + b", "a + b", None),
    ],
)
def test_calls_a_method(lowered, find, text, piece, after):
    assert lowered(text, CallMethod(find(text, piece), "copy")) == after
