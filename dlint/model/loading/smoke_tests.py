"""Loaders by which a module that others import tries itself out: nobody waits for these.

Question: does a module, under its main guard, only go through a loader that it makes there. Its
loops do nothing with the batches, or print what they are. Given up on: loops in functions, loaders
that are handed on, `next(iter(loader))`.
Another: does all that a module does there have no model that has learned anything, so that its
figures mean nothing. Followed: calls, `_DEEP` functions deep. Given up on: arguments that a command
line gives, and what else than torch reads weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import is_call_to
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.control.path_tests import is_under_main_guard
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, Jump, Loop
from dlint.library_facts.checkpoints import GIVING, READING
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import GRADIENT_STEPS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loops.batch_loops import BatchLoop

_LOOKING = frozenset({"print", "len", "type", "size", "dim", "tolist", "item"})

_DEEP = 3
_LEARNING = GIVING | GRADIENT_STEPS | frozenset({"parse_args", "parse_known_args", "fit"})
"""Calls of programs that are more than a trial of their functions."""


def tries_out(context: AnalysisContext, place: Place) -> bool:
    """Whether the loader that is made at a place is gone through to see whether that works."""
    groups = context[Loaders].by_call().values()
    loaders = [loader for group in groups for loader in group if loader.place == place]
    loops = [loop for loader in loaders for loop in loader.loops]
    if not loops or len(context.project.graph.importers({place.path})) < 2:
        return False
    return all(loop.scope.module.path == place.path and _only_looks(loop) for loop in loops)


def evaluates_untrained(context: AnalysisContext, place: Place) -> bool:
    """Whether code at a place, under the main guard of a module that others import, can evaluate
    no model but one that has learned nothing.
    """
    facts = context.project.load(place.path) if context.project.is_loaded(place.path) else None
    if facts is None or not facts.module.path.endswith(".py"):
        return False
    body = facts.module.body
    calls = [call for call in body.calls if is_under_main_guard(body, call.span)]
    if not any(c.span[0] <= place.start and place.end <= c.span[1] for c in calls):
        return False
    if len(context.project.graph.importers({place.path})) < 2:
        return False
    return not any(
        call.name in _LEARNING or is_call_to(context, call, READING)
        for call in (*calls, *calls_below(context, calls, _DEEP))
    )


def _only_looks(loop: BatchLoop) -> bool:
    """Whether a loop under the main guard prints what it is given, or does nothing at all."""
    if loop.scope.kind != "module" or not isinstance(loop.statement, Loop) or loop.is_single:
        return False
    if not is_under_main_guard(loop.scope, loop.statement.span):
        return False
    statements = list(walk.statements(loop.statement.body))
    parts = (p for s in statements for e in walk.expressions(s) for p in walk.walk(e))
    calls = (part for part in parts if isinstance(part, ex.Call))
    plain = all(isinstance(s, Bind | Evaluate | Jump) for s in statements)
    return plain and all(call.name in _LOOKING for call in calls)
