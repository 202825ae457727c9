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
from dlint.analyses.callees import is_self
from dlint.analyses.control.call_paths import most_loops_around
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.loop_parts import whole_of
from dlint.ir.module import Block, Evaluate, Scope, Statement
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import BatchLoop, batch_loops, calls_in
from dlint.model.loops.gradients import computed_without_gradients, runs_without_gradients
from dlint.model.loops.growing_values import (
    added_up,
    appended,
    is_emptied,
    is_list,
    is_written_to,
)
from dlint.model.loops.lasting_targets import outlives_round
from dlint.model.loops.loss_gradients import gradient_of, gradient_of_item
from dlint.model.loops.loss_meters import (
    RENEWING,
    KeptParameter,
    Loss,
    given_to,
    holder_given,
    kept_inside,
    kept_parameters,
    scaled,
)
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
    kept_inside: Place | None = None
    """Each of these, where a function keeps it that is there for this loop alone."""
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
    def place_of_fix(self) -> Place | None:
        """What is to be kept without its graph; None where that is no single expression."""
        return self.kept_inside if self.of_items else self.place

    @property
    def gradient_place(self) -> Place:
        """Where its gradient is taken."""
        return Place(self.backward.scope.module.path, *self.backward.span)

    @property
    def may_be_number(self) -> bool:
        """Whether it is one of a list of losses, others of which may be plain numbers."""
        is_one = isinstance(self.loss, ex.Reference) and is_one_of_several(self.loss)
        return self.of_items or is_one

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
        for step in step_functions(context, loop.body, below=True):
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
    """`meter.update(loss)`: a function of the project that adds up or collects what it is given."""
    call = statement.value if isinstance(statement, Evaluate) else None
    if not isinstance(call, ex.Call):
        return
    for function in callees_of(context, call):
        for kept in kept_parameters(context, function):
            holder = holder_given(call, function, kept)
            if holder is None or _is_begun_anew(holder, statement, body, scope):
                continue
            if kept.is_sum and runs_without_gradients(context, statement, scope):
                continue
            for given, backward, of_items in _given_losses(context, call, function, kept, body):
                history = History(given, backward, holder, scope, kept.is_sum)
                inside = kept_inside(context, call, function, kept)
                yield history._replace(of_items=of_items, kept_inside=inside, kept_place=kept.place)
                return


def _given_losses(
    context: AnalysisContext, call: ex.Call, function: Scope, kept: KeptParameter, body: Block
) -> Iterator[tuple[Loss, ex.Call, bool]]:
    """The losses that a call hands over to be kept, each with what takes its gradient.

    And whether it is the items of a dict that are kept.
    """
    for given, of_items in given_to(call, function, kept):
        backward = _gradient_of_given(context, given, of_items, call.statement, body)
        if backward is not None and isinstance(given, Loss):
            yield given, backward, of_items


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


def _is_begun_anew(holder: ex.Expression, statement: Statement, body: Block, scope: Scope) -> bool:
    """Whether a loop itself begins anew what keeps losses, or something of it, or may do so."""
    name = ex.spelled(holder)
    if name is None or _is_renewed(name, body) or is_emptied(holder, statement, body):
        return True
    return not is_self(holder, scope) and is_written_to(name, body)


def _is_renewed(name: str, body: Block) -> bool:
    """Whether a loop calls a method of an object that may forget what it holds."""
    methods = (c.function for c in calls_in(body) if c.name in RENEWING)
    owners = [m.value for m in methods if isinstance(m, ex.Attribute)]
    owners += [whole for o in owners if (whole := whole_of(ex.unnamed(o))) is not None]
    return name in map(ex.spelled, owners)
