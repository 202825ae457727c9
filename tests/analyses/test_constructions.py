"""What the constructor of a library class is given, also through those of the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import constructions_of
from dlint.analyses.constructions import constructed
from dlint.analyses.context import AnalysisContext
from dlint.semantics.values.values import Literal

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
SIGNATURES = {"lib.Base": ("first", "second")}
PROGRAM = """
from functools import partial
from lib import Base
from torch.utils.data import DataLoader

class Plain(Base):
    pass

class Handing(Plain):
    def __init__(self, *args, own=0, **kwargs):
        super().__init__(*args, **kwargs)

class Deciding(Base):
    def __init__(self, second, own):
        Base.__init__(self, 1, second=second)

class Twice(Base):
    def __init__(self, second, own=0):
        if own:
            super().__init__(1, second)
        super().__init__(2, second)

loader = DataLoader([1])
make = partial(Base, 1)
made = {call}
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Base(1, 2)", 2),
        ("Base(1, second=2)", 2),
        ("make(2)", 2),
        ("Plain(1, 2)", 2),
        ("Handing(1, 2, own=3)", 2),
        ("Handing(1, own=3, second=2)", 2),
        ("Handing(own=3, **{'second': 2})", 2),
        ("Deciding(2, 3)", 2),
        ("Deciding(own=3, second=2)", 2),
        ("Twice(2, 3)", None),
        ("Base(1)", None),
        ("Handing(1)", None),
    ],
)
def test_what_the_base_is_given(context: MakeProgram, call: str, expected: int | None) -> None:
    program = context(PROGRAM.replace("{call}", call))
    calls = [c for c in constructions_of(program, "lib.Base") if c.scope.kind == "module"]
    (made,) = [c for c in calls if c.name != "partial"]
    given = constructed(program, made, program.solver.root(made.scope), SIGNATURES)
    values = frozenset() if given is None else given.values("second")
    assert values == (frozenset() if expected is None else {Literal.of(expected)})
