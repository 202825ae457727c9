"""Flat views of what was compared with a turned tensor: torch 1.6 was the last that takes them.

Since torch 1.7 a comparison keeps the strides of what it compares, so that `correct[:5].view(-1)`
raises where `correct = pred.t().eq(…)` (pytorch/examples#836; torch 2.13.0). Followed: names in one
function, and what calls give for the number of rows, which must be more than one somewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


def views_turned(context: AnalysisContext, call: ex.Call, scope: Scope) -> bool:
    """Whether a call is `correct[:k].view(-1)` of such a comparison, for a k above 1."""
    callee = call.function
    if not isinstance(callee, ex.Attribute) or call.name != "view" or len(positional(call)) != 1:
        return False
    rows = callee.value
    if not isinstance(rows, ex.Subscript) or not isinstance(rows.index, ex.Slice):
        return False
    first, last, step = rows.index.bounds
    if first is not None or last is None or step is not None or not _compares_turned(rows.value):
        return False
    is_run = scope.kind == "module" or bool(callers_of(context, scope))
    if any(walk.tests(call.statement)) or not is_run:
        return False
    return any(_is_several(value) for value in context.values(last, scope))


def _compares_turned(value: ex.Expression) -> bool:
    """Whether a value is `pred.eq(…)` of a `pred` that was turned: `pred.t()`, `pred.T`."""
    compared = origin_of(value)
    method = compared.function if isinstance(compared, ex.Call) else None
    if not isinstance(method, ex.Attribute) or method.name != "eq":
        return False
    turned = origin_of(method.value)
    if isinstance(turned, ex.Attribute):
        return turned.name == "T"
    return isinstance(turned, ex.Call) and turned.name == "t" and not turned.arguments


def _is_several(value: object) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, int) and value.value > 1
