"""How many items something certainly has."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.volume.least_lengths import least_length

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from itertools import pairwise

import numpy as np

TAPS = [1, 2, 3]
DROPPED = [1, 2, 3]
DROPPED.pop()


def run(given, two, none=0, depth=3, more=(4, 5)):
    sizes = [1] + [2] * depth
    changed = [1, 2]
    changed.remove(1)
    left = given if given else TAPS
    probe({asked})


def start(given, flag):
    run(given, [1, 2], 0)
    run(given, [1, 2] if flag else (1, 2, 3))
"""


@pytest.mark.parametrize(
    ("asked", "least"),
    [
        ("[1, 2]", 2),
        ("{1, 1}", 0),
        ("[0, *two, *given]", 3),
        ("TAPS", 3),
        ("DROPPED", 0),
        ("two", 2),
        ("more", 2),
        ("given", 0),
        ("changed", 0),
        ("sizes", 4),
        ("sizes[1:]", 3),
        ("sizes[:-2]", 2),
        ("sizes[-3:]", 3),
        ("sizes[::2]", 0),
        ("sizes[depth:]", 0),
        ("zip(sizes, TAPS[1:])", 2),
        ("zip(sizes, given)", 0),
        ("pairwise(sizes)", 3),
        ("pairwise(given)", 0),
        ("enumerate(TAPS)", 3),
        ("list(TAPS) + list(more)", 5),
        ("np.array(TAPS) + np.array(TAPS)", 0),
        ("[1] * none", 0),
        ("range(depth)", 3),
        ("range(none)", 0),
        ("range(1, depth)", 2),
        ("[x for x in TAPS]", 3),
        ("(x for x in TAPS if x)", 0),
        ("[y for x in TAPS for y in given]", 0),
        ("left", 0),
        ("TAPS if given else more", 2),
    ],
)
def test_least_length(context: MakeProgram, asked: str, least: int) -> None:
    """Over all calls, and 0 for all that may have none."""
    analysed = context(TEXT.format(asked=asked))
    (call,) = analysed.modules[0].calls["probe"]
    root = analysed.solver.root(call.scope)
    assert least_length(analysed, call.arguments[0].value, root) == least
