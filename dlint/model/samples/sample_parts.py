"""What a sample of a data set consists of: the parts of what `__getitem__` returns.

Question: which expressions are the leaves of the tuples, lists and dicts that a method returns, and
in which activation? Followed: names, both sides of choices, functions of the project to what they
return, displays within displays. Any other expression is a leaf. Budget: `_MOST` expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import steps
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

Located = tuple[ex.Expression, "CallContext"]

_MOST = 200


def sample_parts(context: AnalysisContext, method: Scope) -> Iterator[Located]:
    """The leaves of the samples that a method of a data set returns, or yields."""
    root = context.solver.root(method)
    results = [*method.returns, *(y.value for y in method.yields if y.value is not None)]
    return leaves(context, [(result, root) for result in results])


def leaves(context: AnalysisContext, results: list[Located]) -> Iterator[Located]:
    """The leaves of what some expressions may be."""
    return (located for located in reached(context, results) if not _inside(context, *located))


def reached(context: AnalysisContext, results: list[Located]) -> Iterator[Located]:
    """What some expressions may be, and what that is made of, down to the leaves."""
    waiting, seen = list(reversed(results)), set[Located]()
    while waiting and len(seen) < _MOST:
        located = waiting.pop()
        if located in seen:
            continue
        seen.add(located)
        yield located
        waiting += reversed(_inside(context, *located))


def _inside(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> list[Located]:
    """What an expression is made of, or stands for; nothing for a leaf."""
    match expression:
        case ex.Sequence():
            return [(item, frame) for item in expression.items]
        case ex.Mapping():
            return [(item, frame) for _, item in expression.items]
        case ex.Reference() | ex.Conditional() | ex.Join() | ex.Boolean() | ex.Call():
            return list(steps(context, expression, frame))
    return []
