"""The values of an expression, each with the conditions under which it holds.

`Solver` says what may reach an expression; this says on which paths, for the small values that
decide about loaders: numbers, truth values, None, samplers. Conditions stay with their values, so
that `sampler = S(ds) if ddp else None` and `shuffle=not ddp` are seen to exclude each other.

How each kind of expression is evaluated, and what each kind of value holds under a key, is not
known here: it is handed in as `Evaluations`. One question is answered with at most `_BUDGET` steps,
`_DEPTH` deep; what is cut off by that or by a cycle is Unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dlint.ir import expressions as ex
from dlint.ir.looked_at import plain
from dlint.ir.module import Scope
from dlint.semantics.calls.binding import is_refused
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.calls.callers import Callers
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import (
    ConditionalValue,
    ConditionalValues,
    merged,
    ordered,
)
from dlint.semantics.values.conditions import Condition, Conditions
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import UNKNOWN, Value

_DEPTH = 30
_BUDGET = 3_000

Evaluation = Callable[["Evaluator", Any, CallContext, int], ConditionalValues]
"""The values of one kind of expression in a frame, at a depth of recursion."""
Holding = Callable[["Evaluator", Any, str, int], ConditionalValues]
"""What one kind of value holds under a key; `ABSENT` where it may hold nothing there."""


@dataclass(frozen=True, slots=True)
class Evaluations:
    """How expressions are evaluated and what values hold, by their kinds.

    Of a kind of expression that is missing the solver's values count; of a value, nothing is known.
    """

    expressions: Mapping[type, Evaluation]
    held: Mapping[type, Holding]


class Evaluator:
    """Asks for values with their conditions; one per `Solver`."""

    def __init__(self, solver: Solver, evaluations: Evaluations) -> None:
        self.solver = solver
        self._evaluations = evaluations
        self._known: dict[tuple[ex.Expression, CallContext], ConditionalValues] = {}
        self._active: set[tuple[ex.Expression, CallContext]] = set()
        self._left = _BUDGET
        self._cut = False
        self._is_late = False

    def of(
        self, expression: ex.Expression, frame: CallContext, depth: int = 0
    ) -> ConditionalValues:
        """The alternatives of an expression; Unknown where one cannot be known.

        One question is answered with at most `_BUDGET` steps. What was cut short (by that, by depth
        or by a cycle) is kept only as the answer to the whole question. Once the solver is past its
        budget, what was known before is asked again: answers of both times may contradict.
        """
        if self.solver.exhausted and not self._is_late:
            self._is_late = True
            self._known.clear()
        key = (expression, frame)
        known = self._known.get(key)
        if known is not None:
            return known
        if not self._active:
            self._left, self._cut = _BUDGET, False
        self._left -= 1
        if depth > _DEPTH or self._left < 0 or key in self._active:
            self._cut = True
            return [ConditionalValue(UNKNOWN)]
        outer, self._cut = self._cut, False
        self._active.add(key)
        found = merged(self._evaluate(expression, frame, depth))
        self._active.discard(key)
        if not self._cut or not self._active:
            self._known[key] = found
        self._cut |= outer
        return found

    def _evaluate(
        self, expression: ex.Expression, frame: CallContext, depth: int
    ) -> ConditionalValues:
        evaluate = self._evaluations.expressions.get(plain(type(expression)))
        if evaluate is None:
            return self.flowing(expression, frame)
        return evaluate(self, expression, frame, depth + 1)

    def flowing(self, expression: ex.Expression, frame: CallContext) -> ConditionalValues:
        """What the solver lets flow there; of several values nothing says when they hold."""
        values = ordered(self.solver.values(expression, frame))
        if len(values) == 1:
            return [ConditionalValue(values[0], source=expression)]
        test = ("one of", conditions.key(expression, frame))
        return [
            ConditionalValue(v, frozenset({Condition(test, v)}), source=expression) for v in values
        ]

    def held(self, value: Value, key: str, depth: int) -> ConditionalValues:
        """What a value holds under a key; `ABSENT` where it may hold nothing there."""
        hold = self._evaluations.held.get(type(value))
        return [ConditionalValue(UNKNOWN)] if hold is None else hold(self, value, key, depth)

    def outcomes(
        self,
        test: ex.Expression,
        frame: CallContext,
        depth: int,
        holds: Callable[[ConditionalValue], bool] = lambda value: value.assumed is None,
    ) -> list[tuple[bool, Conditions]]:
        """The ways a test may come out, with what each of them takes for granted.

        A value of which `holds` is not true, as a rule one that is only assumed, may be another.
        """
        found = self.of(test, frame, depth)
        known: dict[tuple[bool, Conditions], None] = {}
        for alternative in found:
            if alternative.truth is None or not holds(alternative):
                for truth in (True, False):
                    asked = conditions.of_test(test, frame, truth)
                    known[truth, alternative.path_condition | {asked}] = None
            else:
                known[alternative.truth, alternative.path_condition] = None
        return list(known)

    def callers(self, scope: Scope) -> list[CallContext]:
        """The frames of all calls that enter a function in the project, root frames left out."""
        frames: list[CallContext] = []
        self.solver[Callers].listen(scope, frames.append)
        self.solver.settle()
        return [f for f in frames if f.call is not None and not is_refused(f)]
