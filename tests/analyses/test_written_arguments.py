"""Arguments as a call writes them."""

from __future__ import annotations

import pytest

from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir.lower import lower
from dlint.workspace.source import Source


def _call(text: str) -> ex.Call:
    (call,) = lower(Source("main.py", text)).body.calls
    return call


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.copy_(src, True)", True),
        ("x.copy_(src, non_blocking=True)", True),
        ("x.copy_(non_blocking=True, src=src)", True),
        ("x.copy_(src)", None),
        ("x.copy_(*both)", None),
        ("x.copy_(src, *rest)", None),
        ("x.copy_(src, **rest)", None),
    ],
)
def test_a_parameter_by_its_place_or_name(text: str, expected: object) -> None:
    found = written(_call(text), 1, "non_blocking")
    assert (found.value if isinstance(found, ex.Constant) else found) == expected


def test_a_parameter_by_place_or_by_name_alone() -> None:
    assert written(_call("f(a=1)"), 0) is None
    assert written(_call("f(1)"), None, "a") is None


@pytest.mark.parametrize(
    ("text", "count"), [("f(1, 2)", 2), ("f(1, a=2)", 1), ("f(1, *x, 3)", 1), ("f(**x)", 0)]
)
def test_what_is_given_by_position(text: str, count: int) -> None:
    assert len(positional(_call(text))) == count
