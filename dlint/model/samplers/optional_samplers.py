"""Samplers of the project that a loader has only where somebody asks for them by an option.

Question: does a loader draw from all of its data where every option has its default, though others
may have it draw by a sampler of the project's own? Followed: what the sampler may be, the tests
around the calls that make it, with what options and settings are by default, and what it is made
with. Given up on: samplers of libraries, or of any class that knows of ranks, and objects that are
not told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.guards import is_left_out
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.model.samplers.index_order import SAMPLERS, definition_of, draws_each, knows_no_ranks
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import Instance

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


def samplers_by_option(loader: Loader) -> list[ex.Call]:
    """The calls that make the samplers a loader may have, if it draws from all without them.

    [] where some sampler may be there by default, or is not known to be without ranks.
    """
    context = loader.context
    found: list[ex.Call] = []
    for name in SAMPLERS:
        values = [a.value for a in loader.argument(name)]
        others = [value for value in values if not draws_each(context, value)]
        made = [_made_by_option(loader, value) for value in others]
        if len(others) == len(values) or not all(made):
            return []
        found += [call for calls in made for call in calls]
    return found


def _made_by_option(loader: Loader, value: object) -> list[ex.Call]:
    """The calls that make a sampler of one process, if all are left out by default."""
    context = loader.context
    if not knows_no_ranks(context, value, _parameters_of_data(loader)):
        return []
    cls = attributes.project_class(value) if isinstance(value, Instance) else None
    init = None if cls is None else context.solver.classes.method(cls, "__init__")
    entered = [] if init is None else context.evaluator.callers(init)
    calls = [frame.call for frame in entered if frame.call is not None]
    frames = {call: context.solver.root(call.scope) for call in calls}
    left_out = all(is_left_out(context, frame, call.span) for call, frame in frames.items())
    return calls if left_out and len(calls) == len(entered) else []


def _parameters_of_data(loader: Loader) -> list[ex.Definition]:
    """The names that the data set of a loader is made of, or is itself, in its own function."""
    given = loader.given("dataset")
    if given is None or given[1].scope is not loader.call.scope:
        return []
    made = origin_of(given[0])
    parts = [a.value for a in made.arguments] if isinstance(made, ex.Call) else [given[0]]
    return [bound for part in parts if (bound := definition_of(part)) is not None]
