"""What calls go through to its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.read_whole import read_whole

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
from collections import Counter as Tally, deque
from functools import reduce
import math, numpy as np

class Own:
    def update(self, x): ...

def total(x): ...

"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("sum(x)", ["x"]),
        ("sum(x, 0.0)", ["x"]),
        ("sorted(x, key=f)", ["x"]),
        ("math.fsum(x)", ["x"]),
        ("Tally(x)", ["x"]),
        ("Tally().update(x)", ["x"]),
        ("deque(x, 5)", ["x"]),
        ("{}.update(x)", ["x"]),
        ("[].extend(x)", ["x"]),
        ("reduce(f, x)", ["x"]),
        ("np.fromiter(x, int)", ["x"]),
        ("zip(*x)", ["x"]),
        ("max(*x)", ["x"]),
        ("max(x, key=f)", ["x"]),
        ("max(x, f)", []),
        ("np.fromiter(x, int, 9)", []),
        ("np.fromiter(x, int, count=9)", []),
        ("reduce(f, *x)", ["x"]),
        ("sum(x, **f)", []),
        ("any(x)", []),
        ("zip(x, f)", []),
        ("total(x)", []),
        ("Own().update(x)", []),
        ("f.extend(x)", []),
    ],
)
def test_what_a_call_goes_through(context: MakeProgram, call: str, found: list[str]) -> None:
    """By any name, and not what stops early, or whose methods are not known."""
    text = f"{HEAD}\ndef run(x, f):\n    return {call}\n"
    analysed = context(text)
    scope = next(s for s in analysed.modules[0].module.scopes if s.name == "run")
    read = [p for c in scope.calls for p in read_whole(analysed, c)]
    assert [text[slice(*part.span)] for part in read] == found
