"""How many rounds a loop makes: one at most, by what its counter is given.

Question: does a loop run its body again. Followed: `range(n)` by the values that reach `n`, over
all callers; a body that no round leaves for the next. Given up on: other iterables and tests of
`while`: these are taken to run again. Budget: that of the evaluator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import origin_of
from dlint.analyses.control.completions import leaves_in_first_round
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.semantics.values.conditional_value import ConditionalValues
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Loop, Scope


def runs_once(
    context: AnalysisContext, loop: Loop, scope: Scope, *, with_defaults: bool = False
) -> bool:
    """`for _ in range(1)`, also where the number is a constant elsewhere; a first round that ends.

    A default of 1 is there to be overridden: it counts only `with_defaults`.
    """
    found = counted_rounds(context, loop, scope)
    counted = bool(found) and all(
        isinstance(a.value, Literal)
        and a.value.value in (0, 1)
        and (with_defaults or a.assumed is None)
        for a in found
    )
    return counted or leaves_in_first_round(loop)


def counted_rounds(context: AnalysisContext, loop: Loop, scope: Scope) -> ConditionalValues:
    """What `range(…)` of a loop is given; nothing for other loops."""
    iterable = None if loop.iterable is None else origin_of(loop.iterable)
    given = positional(iterable) if isinstance(iterable, ex.Call) else []
    if not isinstance(iterable, ex.Call) or len(given) != 1:
        return []
    is_range = isinstance(iterable.function, ex.Reference) and iterable.function.name == "range"
    if not is_range:
        return []
    return context.evaluator.of(given[0], context.solver.root(scope))
