"""Splits that are drawn anew for each of several trainings, whose scores belong together.

Question: does each round of a loop over `range(n)` draw the split, and train a model of its own:
repeated random sub-sampling, as in Monte Carlo cross-validation. Followed: the innermost loop
around the split, else one on every path of calls to its function; models to the calls that make
them, over choices and callers. Given up on: loops over anything but a range, and rounds that choose
the model or its optimizer by their number, for these compare settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import entered_by, on_every_path
from dlint.analyses.control.order import is_inside
from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.control.rounds import counted_rounds, runs_once
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.splits import OPTIMIZERS
from dlint.library_facts.tensors import MODULE_CHAINS
from dlint.model.loops.batch_loops import calls_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Loop, Scope
    from dlint.model.data.splits import Split
    from dlint.semantics.calls.call_contexts import CallContext

_Makers = frozenset[ex.Call | None]
"""The calls that may make a module; None stands for what is not known."""
_Located = tuple[ex.Expression, "Scope"]


def is_resampled(split: Split) -> bool:
    """Whether each of several trainings draws the split for itself, by design."""

    def rounds_at(call: ex.Call) -> tuple[Loop, ...]:
        loop = next(walk.enclosing_loops(call.statement), None)
        is_round = loop is not None and _Rounds(split.context, loop, call).trains_anew(split)
        return (loop,) if loop is not None and is_round else ()

    if any(walk.enclosing_loops(split.call.statement)):
        return bool(rounds_at(split.call))
    return bool(on_every_path(split.context, split.call.scope, rounds_at))


@dataclass(frozen=True)
class _Rounds:
    """The innermost loop around a call that draws a split, or leads there."""

    context: AnalysisContext
    loop: Loop
    call: ex.Call

    def trains_anew(self, split: Split) -> bool:
        """Whether each round makes the call, and trains a model that it makes, always alike."""
        scope = self.call.scope
        if not counted_rounds(self.context, self.loop, scope):
            return False
        if runs_once(self.context, self.loop, scope) or not runs_each_round(self.call, self.loop):
            return False
        models = (*self._trained, *_given_to_trainer(split))
        made = [c for m in models for c in _made_by(self.context, *m) if c and self._makes(c)]
        chosen = (call for call in (*made, *self._optimizers) if self._is_chosen(call))
        return bool(made) and not any(chosen)

    @cached_property
    def _inside(self) -> frozenset[Scope]:
        return frozenset(entered_by(self.context, calls_in(self.loop.body)))

    @cached_property
    def _calls(self) -> tuple[ex.Call, ...]:
        return *calls_in(self.loop.body), *(c for scope in self._inside for c in scope.calls)

    @property
    def _trained(self) -> Iterator[_Located]:
        """What a round asks for its parameters, as it does to make an optimizer."""
        for call in self._calls:
            if isinstance(call.function, ex.Attribute) and call.name == "parameters":
                yield call.function.value, call.scope

    @property
    def _optimizers(self) -> Iterator[ex.Call]:
        for call in self._calls:
            if any(p.startswith(OPTIMIZERS) for p in library_callees(self.context, call)):
                yield call

    def _makes(self, call: ex.Call) -> bool:
        """Whether a round makes a module, and wraps none that was there before."""
        if not self._holds(call):
            return False
        is_known = bool(library_callees(self.context, call))
        given = map(origin_of, positional(call))
        return not any(
            (isinstance(g, ex.Call) and not self._holds(g))
            or (is_known and isinstance(g, ex.Parameter))
            for g in given
        )

    def _holds(self, call: ex.Call) -> bool:
        is_own = call.scope is self.call.scope and is_inside(call.statement, self.loop)
        return is_own or call.scope in self._inside

    def _is_chosen(self, call: ex.Call) -> bool:
        """Whether the number of the round says what is made."""
        parts = parts_in_function(call)
        return any(isinstance(p, ex.Element) and p.iterable is self.loop.iterable for p in parts)


def _given_to_trainer(split: Split) -> Iterator[_Located]:
    """The model that a trainer of transformers trains on a part of the split."""
    trainer = split.trainer
    model = None if trainer is None else written(trainer, 0, "model")
    if trainer is not None and model is not None:
        yield model, trainer.scope


def _made_by(context: AnalysisContext, model: ex.Expression, scope: Scope) -> _Makers:
    return Slice(context, _MAKERS).of(model, context.solver.root(scope))


def _of_call(sliced: Slice[_Makers], call: ex.Call, frame: CallContext) -> _Makers:
    """`Net().to(device)` is what `Net()` makes."""
    callee = call.function
    if isinstance(callee, ex.Attribute) and call.name in MODULE_CHAINS:
        return sliced.of(callee.value, frame)
    return frozenset({call})


def _joined(found: Sequence[_Makers]) -> _Makers:
    return frozenset[ex.Call | None]().union(*found)


_MAKERS: Question[_Makers] = Question(frozenset({None}), _joined, {ex.Call: _of_call})
