"""Values that a training step has to know, since they decide what it does.

Question: does a test of the loop's body, which each step comes to, ask for what certain calls read
of the GPU, or compare the loss itself? Followed are the calls in the test, and local names that
are bound to them. Given up on: values that go through other calls, attributes or lists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If
from dlint.model.loops.graph_retention import gradient_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block

_ORDERING = frozenset({"<", "<=", ">", ">="})


def decides_step(context: AnalysisContext, body: Block, reads: Collection[ex.Call]) -> bool:
    """Whether each step tests what is read by some calls, or whether a loss is less than others."""
    parts = [part for test in _tests(body) for part in walk.walk(test)]
    if any(origin_of(part) in reads for part in parts):
        return True
    compared = [p for p in parts if isinstance(p, ex.Comparison) and p.operator in _ORDERING]
    sides = [side for one in compared for side in (one.left, one.right)]
    return any(
        isinstance(side, ex.Reference) and gradient_of(context, side, body) is not None
        for side in sides
    )


def _tests(body: Block) -> Iterator[ex.Expression]:
    """What the `if`s test that each round comes to, or leaves before."""
    for statement in walk.statements(body):
        if isinstance(statement, If) and always_runs(statement, body, unless_left=True):
            yield statement.test
