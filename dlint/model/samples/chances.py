"""Chances: whether a drawn number alone decides a test in the code of one object.

A probability that the object holds counts as it was made with; 0 and 1 leave nothing to chance,
and one that is not known may be either. What asks for the size of a sample (`len(wave) > length`)
comes out so for some samples, as far as anybody knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import alternatives_of, origin_of, parts_in_function
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.seeding import SIZES, drawn_by
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.file_data import Guard
    from dlint.analyses.object_state.made_objects import MadeObject
    from dlint.semantics.calls.call_contexts import CallContext

_ORDER = frozenset({"<", "<=", ">", ">="})


def is_drawn(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call draws from a global generator."""
    return any(drawn_by(path) is not None for path in library_callees(context, call))


def comes_of(expression: ex.Expression, call: ex.Call) -> bool:
    """Whether an expression, or what a local name in it may be bound to, holds a call."""
    parts = list(walk.walk(expression))
    names = (part for part in parts if isinstance(part, ex.Reference))
    behind = (origin for name in names for origin in alternatives_of(name))
    return call in parts or any(call in walk.walk(origin) for origin in behind)


class Chances:
    """Judges the tests in the code of one object."""

    def __init__(self, context: AnalysisContext, made: MadeObject) -> None:
        self._context = context
        self._made = made

    def may_come_out(self, guard: Guard) -> bool:
        """Whether a test certainly comes out so, or does for some samples by chance."""
        known = self._made.outcome(guard.test, guard.frame)
        if known is not None:
            return known is guard.truth
        drawn = {part for test in _behind(guard.test) for part in walk.walk(test)}
        return any(
            self.decides(guard.test, part, guard.frame)
            for part in drawn
            if isinstance(part, ex.Call) and is_drawn(self._context, part)
        )

    def asks_for_size(self, guard: Guard) -> bool:
        """Whether a test compares the size of a sample, beside what comes out as it was made."""
        parts = list(_conjuncts(guard.test)) if guard.truth else [guard.test]
        known = [self._made.outcome(part, guard.frame) for part in parts]
        unknown = [part for part, outcome in zip(parts, known, strict=True) if outcome is None]
        held = all(outcome is guard.truth for outcome in known if outcome is not None)
        return held and bool(unknown) and all(_compares_size(x, guard.frame) for x in unknown)

    def decides(self, test: ex.Expression, call: ex.Call, frame: CallContext) -> bool:
        """Whether what a call draws decides a test, beside what certainly comes out true."""
        parts = list(_conjuncts(test))
        drawn = [part for part in parts if comes_of(part, call)]
        return bool(drawn) and all(
            self._is_of_call(part, call, frame)
            if part in drawn
            else self._made.outcome(part, frame) is True
            for part in parts
        )

    def _is_of_call(self, test: ex.Expression, call: ex.Call, frame: CallContext) -> bool:
        """Whether all else in a test is a chance that is known."""
        held, waiting = list[ex.Expression](), [test]
        while waiting:
            part = waiting.pop()
            if part is call or call in walk.walk(origin_of(part)):
                waiting += () if part is call else _beside_callee(part)
            elif isinstance(part, ex.Reference | ex.Attribute | ex.Call):
                held.append(part)
            else:
                waiting += walk.children(part)
        return all(self._is_chance(part, frame) for part in held)

    def _is_chance(self, part: ex.Expression, frame: CallContext) -> bool:
        value = self._made.value(part, frame)
        number = value.value if isinstance(value, Literal) else None
        return isinstance(number, int | float) and number not in (0, 1)


def _compares_size(test: ex.Expression, frame: CallContext) -> bool:
    """`wave.shape[0] > length`, of what is no attribute of the data set, which all samples are."""
    if not isinstance(test, ex.Comparison) or test.operator not in _ORDER:
        return False
    parts = {part for side in (test.left, test.right) for part in parts_in_function(side)}
    measured = [m for m in map(_measured, parts) if m is not None]
    return bool(measured) and not any(
        isinstance(origin, ex.Attribute) and is_self(origin.value, frame.scope)
        for origin in map(origin_of, measured)
    )


def _measured(part: ex.Expression) -> ex.Expression | None:
    """What `len(x)`, `x.size(1)` or `x.shape` is the size of."""
    match part:
        case ex.Call(name="len", arguments=(ex.Argument(value=measured),)):
            return measured
        case ex.Attribute(name=name, value=measured) if name in SIZES:
            return measured
    return None


def _beside_callee(part: ex.Expression) -> list[ex.Expression]:
    """The parts of an expression that holds a call, without what it calls: `float(draw())`."""
    if isinstance(part, ex.Call) and isinstance(part.function, ex.Reference):
        return [argument.value for argument in part.arguments]
    return list(walk.children(part))


def _behind(test: ex.Expression) -> Iterator[ex.Expression]:
    """A test, and what the local names in it are bound to."""
    yield test
    yield from (origin_of(part) for part in walk.walk(test) if isinstance(part, ex.Reference))


def _conjuncts(test: ex.Expression) -> Iterator[ex.Expression]:
    """The parts of `a and b and c`; any other test by itself."""
    if isinstance(test, ex.Boolean) and test.operator == "and":
        yield from _conjuncts(test.left)
        yield from _conjuncts(test.right)
    else:
        yield test
