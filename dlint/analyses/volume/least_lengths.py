"""How many items something certainly has that code goes through.

Question: how many rounds does a comprehension make at least? Followed: lists that are written out,
with stars, put together by `+` and `*`, and cut by slices of constants; `zip`, `pairwise` and what
keeps a length, comprehensions without conditions, names, parameters over all known calls, both
sides of choices, and what `dlint.analyses.volume` knows the length of: `range(depth)`, data sets.
Given up on: names of what code takes something out of, names that are imported, and all else: the
answer is 0.
Budget: `_DEEP` steps, one behind the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import steps
from dlint.analyses.calls import certainly_calls
from dlint.analyses.resizing import is_resized
from dlint.analyses.value_parts import origin_of
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.volume.sizes import with_inner
from dlint.ir import expressions as ex
from dlint.library_facts.passthrough import keeps_length

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_DEEP = 20
_PAIRWISE = frozenset({"itertools.pairwise"})
_ZIP = frozenset({"builtins.zip"})


def least_length(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, deep: int = 0
) -> int:
    """How many items something has at least, in one activation or over all of them."""
    if deep > _DEEP:
        return 0
    return max(_Lengths(context, frame, deep + 1).of(expression), 0)


class _Lengths:
    """One step of the question."""

    def __init__(self, context: AnalysisContext, frame: CallContext, deep: int) -> None:
        self._context, self._frame, self._deep = context, frame, deep

    def of(self, expression: ex.Expression) -> int:
        """The answer for one expression; what it stands for is asked by `least_length`."""
        match expression:
            case ex.Sequence():
                if expression.kind == "set":
                    return 0
                starred = [i.value for i in expression.items if isinstance(i, ex.Starred)]
                return len(expression.items) - len(starred) + sum(map(self._least, starred))
            case ex.Comprehension():
                plain = len(expression.iterables) == 1 and not expression.conditions
                return self._least(expression.iterables[0]) if plain else 0
            case ex.Binary():
                return self._of_lists(expression)
            case ex.Subscript() if isinstance(expression.index, ex.Slice):
                return _cut(self._least(expression.value), expression.index)
            case ex.Call():
                return self._of_call(expression)
            case ex.Imported():
                return 0
            case ex.Reference() if self._is_changed(expression):
                return 0
        return self._behind(expression)

    def _least(self, expression: ex.Expression) -> int:
        return least_length(self._context, expression, self._frame, self._deep)

    def _is_changed(self, name: ex.Reference) -> bool:
        scope = self._frame.scope
        around = scope.module.scopes if ex.is_free(name) else with_inner(scope)
        return is_resized(name.name, around)

    def _behind(self, expression: ex.Expression) -> int:
        """The least over all that an expression may be; else what its number of items is known."""
        is_kept = isinstance(expression, ex.Attribute)
        further = [] if is_kept else list(steps(self._context, expression, self._frame))
        if further:
            return min(least_length(self._context, *each, self._deep) for each in further)
        known = self._context[DatasetSizes].sizes.length(expression, self._frame)
        return 0 if known is None else int(known.low)

    def _of_lists(self, made: ex.Binary) -> int:
        """`[a] + sizes`, `[a] * depth`; arrays are put together in other ways."""
        left, right = _is_list(made.left), _is_list(made.right)
        if made.operator == "+" and left and right:
            return self._least(made.left) + self._least(made.right)
        if made.operator == "*" and left != right:
            listed, factor = (made.left, made.right) if left else (made.right, made.left)
            number = self._context[DatasetSizes].sizes.number(factor, self._frame)
            return 0 if number is None else self._least(listed) * int(number.low)
        return 0

    def _of_call(self, call: ex.Call) -> int:
        given = [a.value for a in call.arguments]
        if not given or any(a.star or a.keyword for a in call.arguments):
            return self._behind(call)
        if certainly_calls(self._context, call, _ZIP):
            return min(map(self._least, given))
        if certainly_calls(self._context, call, _PAIRWISE):
            return self._least(given[0]) - 1
        kept = self._context[DatasetSizes].sizes.paths(call, self._frame)
        if kept and all(map(keeps_length, kept)):
            return self._least(given[0])
        return self._behind(call)


def _cut(length: int, cut: ex.Slice) -> int:
    """What `x[1:]`, `x[:-1]` leave."""
    bounds = [None if bound is None else _whole(bound) for bound in cut.bounds]
    known = all(b is not None or part is None for b, part in zip(bounds, cut.bounds, strict=True))
    return len(range(length)[slice(*bounds[:2])]) if known and bounds[2] is None else 0


def _is_list(expression: ex.Expression) -> bool:
    """Whether it is certainly a list or a tuple."""
    match made := origin_of(expression):
        case ex.Sequence():
            return made.kind != "set"
        case ex.Comprehension():
            return made.kind == "list"
        case ex.Call():
            return made.name in ("list", "tuple", "sorted") and ex.is_free(made.function)
        case ex.Binary(operator="+"):
            return _is_list(made.left) and _is_list(made.right)
        case ex.Binary(operator="*"):
            return _is_list(made.left) or _is_list(made.right)
    return False


def _whole(bound: ex.Expression) -> int | None:
    """The number that a bound of a slice is, with its sign."""
    negative = isinstance(bound, ex.Unary) and bound.operator == "-"
    number = ex.constant(bound.operand if isinstance(bound, ex.Unary) else bound)
    value = number.value if number is not None else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return -value if negative else value
