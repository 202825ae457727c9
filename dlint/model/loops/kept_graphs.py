"""What loops over batches keep with its graph, besides the losses that they take the gradient of.

Question: which outputs, or losses that nobody takes the gradient of, does a loop add up or collect
beyond its round, each with the autograd graph that made it? Two kinds of loops: one that evaluates,
by its name or by the mode of its model, with gradients on, where nothing frees the activations; and
one that takes gradients, which collects the output that its loss is made of. A tensor holds a graph
if a network made it, whose gradient the program takes elsewhere or whose mode the function sets; or
a loss of torch, or a function that makes the losses of the training, was given what such a network
made. Given up on: attributes and parts of dicts as what keeps; what is detached or brought to the
host on any way, gradients that a program switches by itself, and managers that are not known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.control.call_paths import calls_below, leading_to
from dlint.analyses.value_parts import parts_in_function
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Scope, Statement, With
from dlint.library_facts.gradients import CUTTING, NETWORK, SWITCHING
from dlint.model.loops.batch_loops import GRADIENT_STEPS, BatchLoop, batch_loops, calls_in
from dlint.model.loops.gradient_flow import weights_learn
from dlint.model.loops.gradient_sources import (
    Recipe,
    is_of_trained_kind,
    is_trained_callee,
    is_without_graph,
    sources_of,
    terms_of,
)
from dlint.model.loops.gradients import (
    computed_without_gradients,
    is_of_library_value,
    is_plain,
    runs_without_gradients,
)
from dlint.model.loops.growing_values import added_up, appended, is_emptied, is_list
from dlint.model.loops.loss_calls import is_loss_call
from dlint.model.loops.loss_gradients import gradient_of
from dlint.model.loops.modes import runs_in_eval_mode
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_WANTING = GRADIENT_STEPS | {"grad", "jacobian", "hessian", "vjp"}


class KeptGraph(NamedTuple):
    """One place where a loop keeps a tensor with its graph."""

    kept: ex.Expression
    target: ex.Expression
    loop: BatchLoop
    is_sum: bool

    @property
    def name(self) -> str | None:
        """The tensor by its name; None for what has none."""
        return ex.spelled(self.kept)

    @property
    def place(self) -> Place:
        """The tensor."""
        return Place(self.loop.scope.module.path, *self.kept.span)

    @property
    def is_freed(self) -> bool:
        """Whether the loop takes gradients, by which the activations are freed."""
        return self.loop.trains


def kept_graphs(context: AnalysisContext) -> Iterator[KeptGraph]:
    """Where loops over batches keep tensors with their graphs."""
    seen: set[Statement] = set()
    for loop in context[batch_loops]:
        if _is_asked_about(loop) and loop.body is not None:
            for statement in walk.statements(loop.body):
                if statement not in seen:
                    seen.add(statement)
                    yield from _of_statement(loop, loop.body, statement)


def _is_asked_about(loop: BatchLoop) -> bool:
    if loop.body is None or loop.is_single or loop.is_in_generator or loop.comprehension:
        return False
    if loop.takes_gradients:
        return True
    if loop.trains or any(call.name in _WANTING for call in calls_in(loop.body)):
        return False
    return loop.is_named_for_evaluation or runs_in_eval_mode(loop)


def _of_statement(loop: BatchLoop, body: Block, statement: Statement) -> Iterator[KeptGraph]:
    context, added = loop.context, added_up(statement)
    pairs = [added] if added is not None else appended(statement)
    for target, value in pairs:
        if not isinstance(target, ex.Reference) or is_emptied(target, statement, body):
            continue
        if added is None and not is_list(context, target, loop.scope):
            continue
        kept = _kept(value)
        if isinstance(kept, ex.Reference) and gradient_of(context, kept, body) is not None:
            continue  # a history of losses
        if kept is None or not _holds_graph(loop, body, kept) or not _is_on(loop, statement):
            continue
        if not _is_differentiated(context, target, loop.scope):
            yield KeptGraph(kept, target, loop, added is not None)


def _kept(value: ex.Expression) -> ex.Expression | None:
    """The tensor in `loss`, `loss * n`, `outputs.cpu()`; None where that is not one expression."""
    if isinstance(value, ex.Binary) and value.operator in ("*", "/"):
        plain = isinstance(ex.unnamed(value.left), ex.Constant)
        return _kept(value.right if plain and value.operator == "*" else value.left)
    return value if isinstance(value, ex.Reference | ex.Attribute | ex.Call) else None


def _is_on(loop: BatchLoop, statement: Statement) -> bool:
    """Whether gradients are certainly on where a loop keeps something."""
    context, scope = loop.context, loop.scope
    if any(True for _ in calls_anywhere(context, *SWITCHING)):
        return False
    if runs_without_gradients(context, statement, scope) or not is_plain(context, scope):
        return False
    leading = list(leading_to(context, scope))
    places = [(statement, scope), *((call.statement, call.scope) for call in leading)]
    managers = ((m, where) for one, where in places for m in _managers(one))
    return all(is_of_library_value(context, m, where) for m, where in managers)


def _managers(statement: Statement) -> Iterator[ex.Expression]:
    around = (outer for outer in walk.ancestors(statement) if isinstance(outer, With))
    yield from (item for outer in around for item in outer.items)


def _is_differentiated(context: AnalysisContext, target: ex.Reference, scope: Scope) -> bool:
    """Whether a gradient is taken of what keeps, there or where the function returns it to."""

    def names_it(part: ex.Expression) -> bool:
        return isinstance(part, ex.Reference) and part.name == target.name

    if _is_inside_source(scope, names_it):
        return True
    returned = any(names_it(p) for result in scope.returns for p in parts_in_function(result))
    callers = callers_of(context, scope) if returned else ()
    return any(_is_inside_source(call.scope, partial(operator.is_, call)) for call in callers)


def _is_inside_source(scope: Scope, fits: Callable[[ex.Expression], bool]) -> bool:
    for call in scope.calls:
        given = sources_of(call) if call.name in GRADIENT_STEPS else []
        given += [a.value for a in call.arguments] if call.name in _WANTING else []
        if any(fits(part) for source in given for part in parts_in_function(source)):
            return True
    return False


# -- what holds a graph


def _holds_graph(loop: BatchLoop, body: Block, tensor: ex.Expression) -> bool:
    made = list(terms_of(loop.context, tensor))
    if any(is_without_graph(loop.context, one) for one in made):
        return False
    if loop.takes_gradients:
        taken = [s for c in calls_in(body) if c.name in GRADIENT_STEPS for s in sources_of(c)]
        inside = {part for source in taken for part in parts_in_function(source)}
        return bool(made) and all(m.call in inside and _is_trained(loop, m.call) for m in made)
    return bool(made) and all(_is_with_graph(loop, one) for one in made)


def _is_trained(loop: BatchLoop, call: ex.Call) -> bool:
    """Whether a call, of which a loss is made, runs the network that is trained."""
    scope, name = loop.scope, ex.spelled(call.function)
    if not _is_on_for(loop.context, call) or name in _switched(scope, "eval"):
        return False
    return name in _switched(scope, "train") or _is_of_modules(loop.context, call)


def _is_with_graph(loop: BatchLoop, made: Recipe) -> bool:
    """Whether one call gives what a network made, or a loss of that."""
    context, call = loop.context, made.call
    if not _is_on_for(context, call):
        return False
    if _is_network(loop, call):
        return True
    is_trained = is_of_trained_kind(context, made)
    by_torch = not made.part and is_loss_call(context, call)
    parts = list(parts_in_function(call)) if is_trained or by_torch else []
    inner = [p for p in parts if isinstance(p, ex.Call) and p is not call]
    if any(c.name in CUTTING or not _is_on_for(context, c) for c in inner):
        return False
    models = _switched(loop.scope, "eval", "train")
    handed = is_trained and any(ex.spelled(part) in models for part in parts)
    return handed or any(_is_network(loop, c) for c in inner)


def _is_network(loop: BatchLoop, call: ex.Call) -> bool:
    """Whether a call runs a network that cuts no graph, and whose weights learn."""
    context = loop.context
    is_switched = ex.spelled(call.function) in _switched(loop.scope, "eval", "train")
    if not is_switched and not _is_of_modules(context, call):
        return False
    if any(inner.name in CUTTING for inner in calls_below(context, [call])):
        return False
    return is_trained_callee(context, call) or (is_switched and weights_learn(context))


def _is_of_modules(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call certainly is one of a network of the project."""
    classes = [attributes.project_class(v) for v in context.values(call.function, call.scope)]
    externals = (() if c is None else context.solver.classes.externals(c) for c in classes)
    return bool(classes) and all(NETWORK in found for found in externals)


def _is_on_for(context: AnalysisContext, call: ex.Call) -> bool:
    return not computed_without_gradients(context, call.span, call.scope)


def _switched(scope: Scope, *modes: str) -> set[str]:
    """The names of what a function puts into one of these modes: networks."""
    switches = (c.function for c in scope.calls if c.name in modes)
    names = (ex.spelled(s.value) for s in switches if isinstance(s, ex.Attribute))
    return {name for name in names if name is not None}
