"""What an expression counts: ranks among all processes, ranks on one machine, their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import is_call_to, library_callees
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.distributed import CALLS, VARIABLES, Rank
from dlint.model import sharding
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_DEPTH = 9
_LOCAL = re.compile(r"^_?(args_)?local_?rank$", re.I)
_RANK = re.compile(r"^_?(\w+_)?rank$|^proc_?id$|^process_index$", re.I)
"""Names of numbers that differ from process to process."""

_OWN = frozenset({"rank", "global_rank", "local_rank", "world_rank", "process_index"})
"""Names of a process's own number; that of its machine is another."""

_CONVERSIONS = frozenset({"int", "max", "min"})


def kind(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, depth: int = _DEPTH
) -> Rank | None:
    """What an expression counts; None where that is not known."""
    if depth == 0:
        return None
    match expression:
        case ex.Reference() if expression.definition is not None:
            found = kind(context, expression.definition.value, frame, depth - 1)
            return found or _by_name(context, expression, frame)
        case ex.Reference():
            return _by_name(context, expression, frame)
        case ex.Parameter():
            return _of_parameter(context, expression, frame, depth)
        case ex.Attribute():
            return _of_attribute(context, expression, depth)
        case ex.Subscript():
            return _of_variable(expression.index)
        case ex.Conditional():
            return _same(context, (expression.then, expression.otherwise), frame, depth)
        case ex.Join():
            return _same(context, expression.alternatives, frame, depth)
        case ex.Call():
            return _of_call(context, expression, frame, depth)
    return None


def _by_name(context: AnalysisContext, expression: ex.Reference, frame: CallContext) -> Rank | None:
    """A name that says so, unless it is bound to something else that is known."""
    if expression.definition is not None and not isinstance(
        expression.definition.value, ex.Parameter
    ):
        return None
    return Rank.LOCAL if _LOCAL.match(expression.name) else None


def _of_parameter(
    context: AnalysisContext, parameter: ex.Parameter, frame: CallContext, depth: int
) -> Rank | None:
    given = list(sharding.given_to(context, parameter, frame))
    kinds = {kind(context, value, where, depth - 1) for value, where in given}
    return kinds.pop() if len(kinds) == 1 else None


def _of_attribute(context: AnalysisContext, attribute: ex.Attribute, depth: int) -> Rank | None:
    """`args.local_rank`, unless the program writes a rank among all processes there."""
    if not _LOCAL.match(attribute.name):
        return None
    for store in context.project.writing(attribute.name):
        root = context.solver.root(store.scope)
        if kind(context, store.value, root, depth - 1) not in (Rank.LOCAL, None):
            return None
        if any(_is_global(part) for part in walk.walk(store.value)):
            return None
    return Rank.LOCAL


def _is_global(part: ex.Expression) -> bool:
    return isinstance(part, ex.Reference | ex.Attribute) and part.name in ("rank", "get_rank")


def _of_variable(name: ex.Expression) -> Rank | None:
    known = isinstance(name, ex.Constant) and isinstance(name.value, str)
    return VARIABLES.get(str(name.value)) if known and isinstance(name, ex.Constant) else None


def _of_call(
    context: AnalysisContext, call: ex.Call, frame: CallContext, depth: int
) -> Rank | None:
    given = [a.value for a in call.arguments if not a.star]
    if call.name in ("get", "getenv") and given:
        return _of_variable(given[0])
    if call.name in _CONVERSIONS:
        return _same(context, given, frame, depth)
    if is_call_to(context, call, CALLS):
        return next(CALLS[path] for path in library_callees(context, call) if path in CALLS)
    for scope in callees_of(context, call):
        return _same(context, scope.returns, context.solver.root(scope), depth)
    return None


def _same(
    context: AnalysisContext, parts: Iterable[ex.Expression], frame: CallContext, depth: int
) -> Rank | None:
    """What all parts count, numbers such as 0 and -1 left out."""
    counted = [p for p in parts if not isinstance(_bound(p), ex.Constant | ex.Unary)]
    kinds = {kind(context, part, frame, depth - 1) for part in counted}
    return kinds.pop() if len(kinds) == 1 else None


def _bound(expression: ex.Expression) -> ex.Expression:
    """What a name is bound to, in the branch that it speaks of."""
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        return expression.definition.value
    return expression


def is_rank(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether an expression is the number of this process among those that train."""
    if kind(context, expression, frame) in (Rank.GLOBAL, Rank.LOCAL):
        return True
    named = isinstance(expression, ex.Reference | ex.Attribute)
    return (
        named and isinstance(expression, ex.Reference | ex.Attribute) and (expression.name in _OWN)
    )


def differs_by_rank(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> bool:
    """Whether a number certainly depends on the rank: `seed + rank`, followed through names."""
    return any(
        isinstance(part, ex.Binary)
        and part.operator in ("+", "-", "*", "^")
        and any(_is_rank(side) for side in (part.left, part.right))
        for part in _numbers(context, expression, frame, _DEPTH)
    )


def _numbers(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, depth: int
) -> Iterator[ex.Expression]:
    """An expression, what its names are bound to, and the operands of its sums."""
    yield expression
    if depth == 0:
        return
    match expression:
        case ex.Reference() if expression.definition is not None:
            yield from _numbers(context, expression.definition.value, frame, depth - 1)
        case ex.Parameter():
            for value, where in sharding.given_to(context, expression, frame):
                yield from _numbers(context, value, where, depth - 1)
        case ex.Attribute():
            name = ex.dotted(expression)
            for store in frame.scope.stores if name is not None else ():
                if ex.dotted(store.target) == name:
                    yield from _numbers(context, store.value, frame, depth - 1)
        case ex.Binary():
            for side in (expression.left, expression.right):
                yield from _numbers(context, side, frame, depth - 1)
        case ex.Call() if expression.name in _CONVERSIONS:
            for argument in expression.arguments:
                yield from _numbers(context, argument.value, frame, depth - 1)


def _is_rank(expression: ex.Expression) -> bool:
    """A rank by its name, by the function that tells it, or times something."""
    match expression:
        case ex.Reference() | ex.Attribute():
            return _RANK.match(expression.name) is not None
        case ex.Call():
            return expression.name in ("get_rank", "get_global_rank", "local_rank", "rank")
        case ex.Binary() if expression.operator == "*":
            return _is_rank(expression.left) or _is_rank(expression.right)
    return False
