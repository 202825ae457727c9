"""To whom a call hands an object, and as what."""

from __future__ import annotations

import pytest

from dlint.analyses.handed_over import receivers
from dlint.ir import expressions as ex
from tests.analyses.control.programs import MakeProgram

_FUNCTIONS = """
def one(x, y=0):
    pass


def several(*xs):
    pass


class Kept:
    def __init__(self, kept):
        self.kept = kept

    def take(self, taken):
        pass


def f(unknown, other):
    mine = []
    named = mine
"""


@pytest.mark.parametrize(
    ("call", "parameters", "are_all"),
    [
        ("one(mine)", ["x"], True),
        ("one(named)", ["x"], True),
        ("one(other, y=mine)", ["y"], True),
        ("one(mine, mine)", ["x", "y"], True),
        ("one(other)", [], True),
        ("one(*mine)", [], False),
        ("one([mine])", [], True),
        ("several(mine)", [], False),
        ("Kept(mine)", [], False),
        ("Kept(other).take(mine)", ["taken"], True),
        ("unknown(mine)", [], False),
        ("print(mine)", [], False),
    ],
)
def test_who_is_handed_a_list(
    context: MakeProgram, call: str, parameters: list[str], are_all: bool
) -> None:
    analysed = context(f"{_FUNCTIONS}    {call}\n\n\nf(len, 1)\n")
    (scope,) = (s for a in analysed.modules for s in a.module.scopes if s.name == "f")
    (made,) = (d.value for d in scope.definitions if d.name == "mine")
    found = receivers(
        analysed, scope.calls[-1], analysed.solver.root(scope), lambda value: value is made
    )
    names = [handed.parameter for handed in found.known]
    assert all(h.is_it(ex.Parameter((0, 0), h.parameter)) for h in found.known)
    assert (names, found.are_all) == (parameters, are_all)
