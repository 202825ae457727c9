"""Draws that are part of what is learnt: what is drawn, or undone, or compared, is asked for.

Question: does a sample hold the number that is drawn, views that are drawn apart, or what is
changed as it was before? Asked are the parts of what one function returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.result_parts import parts_made_of, result_items, values_within
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.samples.chances import comes_of, is_drawn

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_TAKEN = (ex.Parameter, ex.Subscript, ex.Element, ex.Item)
"""What stands for something of a sample, or of all of them."""


def is_asked_for(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether one part of a result is what a call draws, or two parts are drawn apart."""
    for items in result_items(call.scope):
        if len(items) > 1 and any(_is_number(item, call) for item in items):
            return True
        drawn = [_draws(context, call, item) for item in items]
        apart = [one for one in drawn if one and any(o and not o & one for o in drawn)]
        if any(call in one for one in apart):
            return True
    return False


def _is_number(item: ex.Expression, call: ex.Call) -> bool:
    """Whether a part of a result is the drawn number alone, in another form perhaps."""
    values = set(values_within(item))
    taken = values - {*walk.walk(call)}
    return call in values and not any(isinstance(value, _TAKEN) for value in taken)


def _draws(context: AnalysisContext, call: ex.Call, item: ex.Expression) -> set[ex.Call]:
    """The calls of a function that draw for one part of its result."""
    parts = parts_made_of(call.scope, [item])
    return {part for part in parts if isinstance(part, ex.Call) and is_drawn(context, part)}


def is_beside_original(call: ex.Call) -> bool:
    """Whether one part of a result is what a call makes, another what the call was given."""
    given = {
        part.definition
        for argument in call.arguments
        for part in walk.walk(argument.value)
        if isinstance(part, ex.Reference) and part.definition is not None
    }
    for items in result_items(call.scope):
        made_of = [parts_made_of(call.scope, [item]) for item in items]
        changed = [call in parts for parts in made_of]
        kept = [
            any(isinstance(p, ex.Reference) and p.definition in given for p in parts)
            for parts in made_of
        ]
        if any(changed) and any(k and not c for k, c in zip(kept, changed, strict=True)):
            return True
    return False


def is_kept_by_chance(call: ex.Call) -> bool:
    """The same of what a function changes by chance itself: `noisy, clean` of one picture."""
    for items in result_items(call.scope):
        made_of = [parts_made_of(call.scope, [item]) for item in items]
        before = {
            origin_of(side)
            for parts in made_of
            for part in parts
            if isinstance(part, ex.Conditional) and comes_of(part.test, call)
            for side in (part.then, part.otherwise)
        }
        others = (i for i, parts in zip(items, made_of, strict=True) if call not in parts)
        if any(origin_of(item) in before for item in others):
            return True
    return False
