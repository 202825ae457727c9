"""Histories: what a training loop adds up or collects with the autograd graph still on it.

Question: which losses that a gradient was taken of does each step keep beyond its round? Followed:
names, parts of dicts and what a function returns, in the loop itself, in the functions that each
round calls and that take the gradient, and in methods of the project that keep what they are given.
Given up on: what is emptied or begun anew in a round, whatever the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import most_loops_around
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Evaluate, Scope, Statement
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import BatchLoop, batch_loops, calls_in
from dlint.model.loops.gradients import computed_without_gradients, runs_without_gradients
from dlint.model.loops.growing_values import (
    added_up,
    appended,
    begins_anew,
    is_emptied,
    is_list,
)
from dlint.model.loops.lasting_targets import outlives_round
from dlint.model.loops.loss_gradients import gradient_of, gradient_of_item
from dlint.model.loops.loss_meters import RENEWING, Loss, given_to, kept_parameters, scaled
from dlint.model.loops.loss_names import definition_of, is_one_of_several, may_be_spared
from dlint.model.loops.step_functions import StepFunction, step_functions
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import has_few_steps

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class History(NamedTuple):
    """One place where a loss is kept beyond its step, with its graph."""

    loss: Loss
    backward: ex.Call
    target: ex.Expression
    scope: Scope
    is_sum: bool
    loop: BatchLoop | None = None
    """The loop that calls the function which keeps it; None where the loop itself keeps it."""
    of_items: bool = False
    """Whether the loss is one of those in a dict, all of which are kept."""
    kept_place: Place | None = None
    """Where a method that is given the loss keeps it."""

    @property
    def name(self) -> str | None:
        """The name of the loss, or of the part that it is; None for what has none."""
        return ex.spelled(self.loss)

    @property
    def place(self) -> Place:
        """Where the loss is kept."""
        return Place(self.scope.module.path, *self.loss.span)

    @property
    def gradient_place(self) -> Place:
        """Where its gradient is taken."""
        return Place(self.backward.scope.module.path, *self.backward.span)

    @property
    def may_be_number(self) -> bool:
        """Whether it is one of a list of losses, others of which may be plain numbers."""
        return isinstance(self.loss, ex.Reference) and is_one_of_several(self.loss)

    @property
    def graph_stays(self) -> bool:
        """Whether the call that takes the gradient is told what to do with the graph after it.

        `backward()` frees what the graph holds, unless `retain_graph` or `create_graph` says
        otherwise.
        """
        kept = written(self.backward, 1, "retain_graph")
        return (kept or written(self.backward, 2, "create_graph")) is not None


def histories(context: AnalysisContext) -> Iterator[History]:
    """Where batch loops keep losses that a gradient was taken of."""
    seen: set[Statement] = set()
    for loop in context[batch_loops]:
        if loop.body is None or _takes_few_steps(loop):
            continue
        for statement in walk.statements(loop.body):
            if statement not in seen:
                seen.add(statement)
                yield from _of_statement(context, statement, loop.body, loop.scope)
        for step in step_functions(context, loop.body):
            yield from _of_step(step, loop, seen)


def _takes_few_steps(loop: BatchLoop) -> bool:
    """Whether what a loop is given makes few steps in all epochs: nothing grows by them."""
    around = len(loop.outer_loops)
    loaders = [loop.context[Loaders].of(made) for made in loop.loaders] if around < 2 else []
    if not loaders or not all(has_few_steps(volume_of(loader)) for loader in loaders):
        return False
    return around + most_loops_around(loop.context, loop.scope) < 2


def _of_step(step: StepFunction, loop: BatchLoop, seen: set[Statement]) -> Iterator[History]:
    """What a function that takes the gradients of a loop keeps beyond the round."""
    body = step.scope.body
    for statement in walk.statements(body):
        if statement in seen:
            continue
        for history in _of_statement(loop.context, statement, body, step.scope):
            if outlives_round(history.target, statement, step, loop):
                seen.add(statement)
                yield history._replace(loop=loop)


def _of_statement(
    context: AnalysisContext, statement: Statement, body: Block, scope: Scope
) -> Iterator[History]:
    added = added_up(statement)
    is_sum = added is not None
    yield from _handed_over(context, statement, body, scope)
    for target, value in [added] if added is not None else appended(statement):
        loss = scaled(value)
        if loss is None or is_emptied(target, statement, body):
            continue
        if (is_sum or loss is not value) and runs_without_gradients(context, statement, scope):
            continue  # what is computed there has no graph
        backward = gradient_of(context, loss, body)
        if backward is None or _has_no_graph(context, loss, scope):
            continue
        if isinstance(loss, ex.Reference) and may_be_spared(loss, statement, backward):
            continue
        if is_sum or is_list(context, target, scope):
            yield History(loss, backward, target, scope, is_sum)


def _has_no_graph(context: AnalysisContext, term: Loss, scope: Scope) -> bool:
    """Whether a term of a loss is computed with gradients off, so that it holds no graph."""
    if isinstance(term, ex.Call):
        return computed_without_gradients(context, term.span, scope)
    made = definition_of(term)
    return made is not None and computed_without_gradients(context, made.span, scope)


def _handed_over(
    context: AnalysisContext, statement: Statement, body: Block, scope: Scope
) -> Iterator[History]:
    """`meter.update(loss)`: a method of the project that adds up or collects what it is given."""
    call = statement.value if isinstance(statement, Evaluate) else None
    callee = call.function if isinstance(call, ex.Call) else None
    if not isinstance(call, ex.Call) or not isinstance(callee, ex.Attribute):
        return
    owner, name = callee.value, ex.spelled(callee.value)
    if name is None or is_renewed(owner, body) or begins_anew(name, statement, body):
        return
    for method in callees_of(context, call):
        for kept in kept_parameters(context, method):
            for given, of_items in given_to(call, method, kept):
                backward = _gradient_of_given(context, given, of_items, statement, body)
                if backward is not None and isinstance(given, Loss):
                    history = History(given, backward, owner, scope, kept.is_sum)
                    yield history._replace(of_items=of_items, kept_place=kept.place)
                    return


def _gradient_of_given(
    context: AnalysisContext,
    given: ex.Expression,
    of_items: bool,
    statement: Statement,
    body: Block,
) -> ex.Call | None:
    """The call that takes the gradient of a loss that is handed over, or of one in a dict."""
    if of_items:
        return gradient_of_item(context, given, body) if isinstance(given, ex.Reference) else None
    backward = gradient_of(context, given, body)
    if backward is None or not isinstance(given, ex.Reference):
        return backward
    return None if may_be_spared(given, statement, backward) else backward


def is_renewed(owner: ex.Expression, body: Block) -> bool:
    """Whether a loop calls a method of an object that may forget what it holds."""
    name = ex.spelled(owner)
    methods = (c.function for c in calls_in(body) if c.name in RENEWING)
    return name is None or any(
        isinstance(m, ex.Attribute) and ex.spelled(m.value) == name for m in methods
    )
