"""Unpacked lengths: how many items `*x` gives a call at most.

Question: up to which parameter may an unpacked list reach? Known of a slice with constant bounds
(`*sys.argv[1:3]`), itself or by a name, whatever it is a slice of. Given up on: names of what a
function calls a method of, hands to another, or writes an item of. Linear in the calls of the
function.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.module import Scope

_FROM, _UP_TO, _STEP = range(3)


def most_unpacked(expression: ex.Expression) -> int | None:
    """The most items that an expression holds, if it is known to be a short slice."""
    made = ex.unnamed(expression)
    if not isinstance(made, ex.Subscript) or not isinstance(made.index, ex.Slice):
        return None
    name = expression.definition if isinstance(expression, ex.Reference) else None
    grows = name is not None and _may_grow(made, name.scope)
    return None if grows else _most(made.index)


def _most(part: ex.Slice) -> int | None:
    start, stop = (_number(part.bounds[at]) for at in (_FROM, _UP_TO))
    if part.bounds[_STEP] is not None:
        return None
    if part.bounds[_FROM] is None:
        start = 0
    if part.bounds[_UP_TO] is None:
        return -start if start is not None and start < 0 else None
    if start is None or stop is None or (start < 0) != (stop < 0):
        return None
    return max(stop - start, 0)


def _number(bound: ex.Expression | None) -> int | None:
    match bound:
        case ex.Constant(value=int(number)):
            return number
        case ex.Unary(operator="-", operand=ex.Constant(value=int(number))):
            return -number
    return None


def _may_grow(made: ex.Expression, scope: Scope) -> bool:
    """Whether a function may put something into what its names stand for."""
    handed = [a.value for call in scope.calls for a in call.arguments if not a.star]
    callees = [call.function for call in scope.calls]
    handed += [callee.value for callee in callees if isinstance(callee, ex.Attribute)]
    written = [s.target for s in scope.stores if isinstance(s.target, ex.Subscript)]
    return any(ex.unnamed(each) is made for each in (*handed, *(w.value for w in written)))
