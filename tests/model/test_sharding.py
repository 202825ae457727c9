"""What an expression is made of, followed to where its names come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model import sharding

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


def test_each_part_is_looked_behind_once(context: MakeProgram) -> None:
    names = ["rank", *(f"x{number}" for number in range(5))]
    steps = "\n".join(
        f"    {name} = {' + '.join([before] * 20)}" for before, name in pairwise(names)
    )
    made = context(
        f"def share(rank):\n{steps}\n    return take({names[-1]})\n\n\nshare(other_rank)\n"
    )
    (scope,) = (s for s in made.modules[0].module.scopes if s.name == "share")
    (result,) = scope.returns
    assert isinstance(result, ex.Call)
    root = made.solver.root(scope)
    assert len(list(sharding.parts(made, result.arguments[0].value, root, 8))) < 400
    assert sharding.speaks_of(made, result, root, re.compile("other_rank"), 8)
    assert not sharding.speaks_of(made, result, root, re.compile("other_rank"), 3)
