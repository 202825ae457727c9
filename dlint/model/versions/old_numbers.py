"""Losses read as an array of one number, `loss.data.cpu().numpy()[0]`: they were, until torch 0.3.

Question: is the first item taken of what is one number? Followed: what `backward()` is called on
without a gradient, the terms that it is made of in the same function, and what a loss of torch
gives. Given up on: modules that speak of how losses are reduced, where a loss may hold a number
for each sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Scope
from dlint.ir.remembering import remembered
from dlint.model.loops.loss_calls import is_loss_call

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_ARRAY = "numpy"
_SAME = frozenset({"cpu", "detach", "clone", _ARRAY})
"""Methods that change nothing of how many numbers there are."""
_REDUCED = ("reduction", "reduce=", "reduce =")


def array_of(part: ex.Expression) -> ex.Expression | None:
    """`loss` of `loss.data.cpu().numpy()[0]`; None of what is no first item of an array."""
    if not isinstance(part, ex.Subscript) or not isinstance(part.index, ex.Constant):
        return None
    if part.index.value != 0 or not isinstance(part.value, ex.Call) or part.value.name != _ARRAY:
        return None
    made: ex.Expression | None = part.value
    while (inner := _behind(made)) is not None:
        made = inner
    return made


def _behind(made: ex.Expression | None) -> ex.Expression | None:
    """The tensor that an expression is another form of."""
    if isinstance(made, ex.Call):
        method = made.function
        is_same = isinstance(method, ex.Attribute) and method.name in _SAME and not made.arguments
        return method.value if is_same and isinstance(method, ex.Attribute) else None
    return made.value if isinstance(made, ex.Attribute) and made.name == "data" else None


def is_one_number(context: AnalysisContext, value: ex.Expression, scope: Scope) -> bool:
    """Whether a value is certainly one number, as gradients are taken of it or a loss gives it."""
    name = ex.dotted(value)
    if name is not None and name in _learned_from(scope):
        return True
    made = origin_of(value)
    if not isinstance(made, ex.Call) or not is_loss_call(context, made):
        return False
    return not context.project.holding(scope.module.path, _REDUCED)


@remembered(1024)
def _learned_from(scope: Scope) -> frozenset[str]:
    """The names of what a function takes gradients of, and of the terms that this consists of."""
    found = {
        name
        for call in scope.calls
        if call.name == "backward"
        and isinstance(call.function, ex.Attribute)
        and written(call, 0, "gradient") is None
        and (name := ex.dotted(call.function.value)) is not None
    }
    sums = [s for s in walk.statements(scope.body) if isinstance(s, Bind)] if found else []
    before = -1
    while len(found) > before:
        before = len(found)
        for bound in sums:
            if any(definition.name in found for definition in bound.definitions):
                found.update(_terms(bound.value))
    return frozenset(found)


def _terms(value: ex.Expression) -> list[str]:
    """The names in a sum, product or quotient."""
    if isinstance(value, ex.Binary):
        return [*_terms(value.left), *_terms(value.right)]
    name = ex.dotted(value)
    return [] if name is None else [name]
