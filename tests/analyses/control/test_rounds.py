"""How many rounds a loop makes."""

from __future__ import annotations

import pytest

from dlint.analyses.control.rounds import counted_rounds, runs_once
from tests.analyses.control.programs import MakeProgram, first_loop, function


@pytest.mark.parametrize(
    ("before", "body", "once"),
    [
        ("", "for i in range(1):\n    step()", True),
        ("", "for i in range(0):\n    step()", True),
        ("", "for i in range(2):\n    step()", False),
        ("N = 1", "for i in range(N):\n    step()", True),
        ("N = 3", "for i in range(N):\n    step()", False),
        ("", "k = 1 if test else 5\nfor i in range(k):\n    step()", False),
        ("", "for i in range(n):\n    step()", False),
        ("", "for i in range(0, 1):\n    step()", True),
        ("", "for i in range(1, 3):\n    step()", False),
        ("", "for i in range(2, 3):\n    step()", True),
        ("", "for i in range(resumed(), 1):\n    step()", True),
        ("", "for i in range(resumed(), 2):\n    step()", False),
        ("", "for i in range(0, 9, 9):\n    step()", False),
        ("", "for i in tqdm(range(1), desc='epochs'):\n    step()", True),
        ("", "for i in tqdm.trange(1):\n    step()", True),
        ("", "for i in tqdm(xs):\n    step()", False),
        ("", "folds = range(1)\nfor i in folds:\n    step()", True),
        ("", "for x in xs:\n    step()", False),
        ("", "for x in data.range(1):\n    step()", False),
        ("", "for x in xs:\n    step()\n    break", True),
        ("", "while True:\n    step()\n    return 1", True),
        ("", "while test:\n    step()", False),
    ],
)
def test_once(context: MakeProgram, before: str, body: str, once: bool) -> None:
    analysed, scope = function(context, body, before)
    assert runs_once(analysed, first_loop(scope), scope) is once


def test_a_default_may_be_overridden(context: MakeProgram) -> None:
    options = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    """
    analysed, scope = function(context, "for i in range(args.epochs):\n    step()", options)
    loop = first_loop(scope)
    assert not runs_once(analysed, loop, scope)
    assert runs_once(analysed, loop, scope, with_defaults=True)
    assert [a.assumed for a in counted_rounds(analysed, loop, scope)] != [None]
