"""How many rounds a loop makes: one at most, by what its counter is given.

Question: does a loop run its body again. Followed: `range(n)` and `range(m, n)`, also in a progress
bar, by the values that reach them, over all callers; a body that no round leaves for the next.
Given up on: other iterables and tests of `while`: these are taken to run again. Budget: that of the
evaluator.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import leaves_in_first_round
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.semantics.libraries.shell_runs import is_of_run
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Loop, Scope
    from dlint.semantics.calls.call_contexts import CallContext

_BARS = frozenset({"tqdm", "track", "progress_bar"})
_WRAPPED = 2
"""Progress bars one around the other."""


def runs_once(
    context: AnalysisContext,
    loop: Loop,
    scope: Scope,
    *,
    with_defaults: bool = False,
    frame: CallContext | None = None,
) -> bool:
    """`for _ in range(1)`, also where the number is a constant elsewhere; a first round that ends.

    A default of 1 is there to be overridden: it counts only `with_defaults`, and then beside runs
    of shell scripts that may or may not say something else. Of all calls of the function, or of the
    one that `frame` stands for.
    """
    found = counted_rounds(context, loop, scope, frame)
    if with_defaults and any(a.assumed for a in found):
        found = [a for a in found if _number(a) is not None or not is_of_run(a.path_condition)]
    counted = bool(found) and all(
        (number := _number(a)) is not None and number <= 1 and (with_defaults or a.assumed is None)
        for a in found
    )
    return counted or leaves_in_first_round(loop)


def counted_rounds(
    context: AnalysisContext, loop: Loop, scope: Scope, frame: CallContext | None = None
) -> ConditionalValues:
    """How many rounds `range(…)` makes at most, where a loop goes over it; nothing for others.

    Where the start is not known, as that of a training that is resumed, it is 0 at least.
    """
    given = [] if loop.iterable is None else _given_to_range(loop.iterable)
    if not 1 <= len(given) <= 2:
        return []
    frame = frame or context.solver.root(scope)
    stops = context.evaluator.of(given[-1], frame)
    if len(given) == 1:
        return stops
    starts = [n for a in context.evaluator.of(given[0], frame) if (n := _number(a)) is not None]
    first = min(starts, default=0)
    return [
        stop if (last := _number(stop)) is None else replace(stop, value=Literal.of(last - first))
        for stop in stops
    ]


def _given_to_range(iterable: ex.Expression) -> list[ex.Expression]:
    """What `range` or `trange` is given, also inside a progress bar."""
    call = origin_of(iterable)
    for _ in range(_WRAPPED):
        if not isinstance(call, ex.Call):
            return []
        given = positional(call)
        if call.name == "trange" or _is_range(call.function):
            return given
        if call.name not in _BARS or not given:
            return []
        call = origin_of(given[0])
    return []


def _is_range(callee: ex.Expression) -> bool:
    return isinstance(callee, ex.Reference) and callee.name == "range"


def most_rounds(context: AnalysisContext, loop: Loop, scope: Scope) -> int | None:
    """How many rounds a loop over `range(…)` makes at most, by defaults too; None is not known."""
    return largest(counted_rounds(context, loop, scope))


def largest(found: ConditionalValues) -> int | None:
    """The largest of some numbers; None where one of them is not known."""
    numbers = [n for a in found if (n := _number(a)) is not None]
    return max(numbers) if numbers and len(numbers) == len(found) else None


def _number(alternative: ConditionalValue) -> int | None:
    value = alternative.value.value if isinstance(alternative.value, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
