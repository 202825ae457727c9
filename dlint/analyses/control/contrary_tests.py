"""Objects that are made only where the tests on the way to a place come out otherwise.

Question: is what a local name may hold certainly another object wherever a place is reached, as
`loader = second() if stage else first()` is behind `if stage == 0`. Followed: the tests around the
call of the place's function that makes the object, and around the calls inside, with parameters as
the arguments that they are; `==` with one constant against comparisons with others. Given up on:
what comes to the place by an attribute, a parameter, or from an earlier round of a loop; tests that
make calls, and of attributes that somebody sets later. Budget: the calls that are told apart where
the object is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.narrowing import conjuncts
from dlint.analyses.control.path_tests import tests_before
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.values import conditions, constant_folding
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import ModuleIndex, Scope
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.conditions import Condition
    from dlint.semantics.values.values import AllocationSite

_MOST_NAMES = 32


class _Known(NamedTuple):
    """What a test on the way says; by names of one module alone, where it asks for its globals."""

    condition: Condition
    module: ModuleIndex | None


def is_made_otherwise(
    context: AnalysisContext, made: AllocationSite, given: ex.Expression, scope: Scope, span: Span
) -> bool:
    """Whether an object that an expression may denote is made only where the tests on the way to
    its place fail."""
    sites = [(made.call, made.frame)]
    sites += [(f.call, f.caller) for f in made.frame.chain() if f.call and f.caller]
    at = next((i for i, (call, _) in enumerate(sites) if call.scope is scope), None)
    if at is None or not tests_before(scope, span) or sites[at][1].scope is not scope:
        return False
    if not _comes_from(context, made, sites[at][0], given, scope):
        return False
    needed = [k for call, frame in sites[: at + 1] for k in _known(context, frame, call.span)]
    reached = list(_known(context, sites[at][1], span)) if needed else []
    return any(_contradict(one, other) for one in needed for other in reached)


# -- how it comes to the place


def _comes_from(
    context: AnalysisContext,
    made: AllocationSite,
    making: ex.Call,
    given: ex.Expression,
    scope: Scope,
) -> bool:
    """Whether all that may be the object is what a call gives, in this round of all loops."""
    parts = list(walk.walk(given))
    if making in parts:
        return True
    found = [part for part in parts if isinstance(part, ex.Reference | ex.Attribute | ex.Subscript)]
    found = [part for part in found if made in context.values(part, scope)]
    return bool(found) and all(_is_fresh(part, scope) for part in found)


def _is_fresh(part: ex.Expression, scope: Scope) -> bool:
    """Whether a local name, or an item of what it holds, is nothing of an earlier round."""
    while isinstance(part, ex.Subscript):
        part = part.value
    waiting: list[ex.Expression] = [part]
    seen: list[ex.Definition] = []
    while waiting and len(seen) < _MOST_NAMES:
        one = waiting.pop()
        if isinstance(one, ex.Conditional):
            waiting += (one.then, one.otherwise)
        elif isinstance(one, ex.Join | ex.Parameter):
            return False
        elif isinstance(one, ex.Reference):
            if one.definition is None or one.definition.scope is not scope:
                return False
            seen.append(one.definition)
            waiting.append(one.definition.value)
    return bool(seen) and not waiting


# -- what the tests say


def _known(context: AnalysisContext, frame: CallContext, span: Span) -> Iterator[_Known]:
    """What the tests on the way to a place say of what does not change in between."""
    for whole, outcome in tests_before(frame.scope, span):
        for test, truth in conjuncts(whole, truth=outcome):
            if all(_lasts(context, part) for part in walk.walk(test)):
                names = [part for part in walk.walk(test) if isinstance(part, ex.Reference)]
                is_global = any(name.definition is None for name in names)
                module = frame.scope.module if is_global else None
                yield _Known(conditions.of_test(test, frame, truth), module)


def _lasts(context: AnalysisContext, part: ex.Expression) -> bool:
    """Whether a part of a test gives the same each time that it is asked."""
    if isinstance(part, ex.Attribute):
        return all(store.scope.name == "__init__" for store in context.project.writing(part.name))
    return isinstance(part, ex.Reference | ex.Constant | ex.Comparison | ex.Unary)


def _contradict(one: _Known, other: _Known) -> bool:
    """Whether two tests cannot both have come out so."""
    if None not in (one.module, other.module) and one.module is not other.module:
        return False
    left, right = one.condition, other.condition
    if left.test == right.test:
        return left.outcome is not right.outcome
    return _is_ruled_out(left, right) or _is_ruled_out(right, left)


def _is_ruled_out(equal: Condition, other: Condition) -> bool:
    """Whether `x == 1` says that another comparison of `x` with a constant comes out otherwise."""
    one, two = _of_constant(equal.test), _of_constant(other.test)
    if one is None or two is None or one[:2] != ("==", two[1]) or equal.outcome is not True:
        return False
    found = constant_folding.compare(two[0], one[2], two[2])
    return found is not None and found is not other.outcome


def _of_constant(test: object) -> tuple[str, object, Literal] | None:
    """The operator of a comparison with a constant, what is compared, and the constant."""
    match test:
        case (str() as operator, asked, (type(), str() | int() | float() | None as value)):
            return operator, asked, Literal.of(value)
    return None
