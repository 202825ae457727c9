"""Splits that a data module draws anew for each entry of Lightning's Trainer.

Question: does `setup` of a Lightning class draw a split that nobody seeds beside, and does a run
certainly train on one part and then have another drawn for an entry that evaluates? Followed: hooks
that return loaders over the parts, entries of a Trainer, functions that certainly come to them.
Given up on: entries that are handed loaders, splits under a test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.control.order import When, relative_order
from dlint.analyses.control.path_tests import is_main_guard, tests_of_call
from dlint.analyses.library_classes import library_classes
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return
from dlint.library_facts.frameworks import RUNNING_EPOCHS
from dlint.model.loading.frameworks import FIT, HOOK, Consumption, users_of_hooks
from dlint.model.loading.loaders import Loaders
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.data.splits import Split

_SETUP = "setup"
_LATER = {"validate": "val_dataloader", "test": "test_dataloader", "predict": "predict_dataloader"}
"""Entries that may follow a training, and the hooks that they take their data from."""
_DEEP = 2
_LOADERS = frozenset({"dataloaders", "test_dataloaders", "val_dataloaders"})


class Redrawn(NamedTuple):
    """The entry that trains on one part, and a later one for which the parts are drawn again."""

    fit: Place
    later: Place
    entry: str
    """The name of the later one: `validate`, `test` or `predict`."""


def redrawn(split: Split) -> Redrawn | None:
    """Where `setup` draws a split for a training, and another for what is evaluated after it."""
    owner = _module_of(split)
    if owner is None or split.is_seeded_beside or not _always_drawn(split):
        return None
    hooks = _hooks_of(split)
    if HOOK not in hooks:
        return None
    split.context[users_of_hooks]
    fits = list(_entries(split.context, FIT, owner))
    for name, hook in _LATER.items():
        for later in _entries(split.context, name, owner) if hook in hooks else ():
            fit = next((f for f in fits if _follows(split.context, f, later)), None)
            if fit is not None:
                place_of = split.context.place_of
                return Redrawn(place_of(fit), place_of(later), name)
    return None


def _module_of(split: Split) -> Class | None:
    """The Lightning class whose `setup` the split stands in."""
    scope = split.call.scope
    if scope.owner is None or scope.name != _SETUP:
        return None
    bases = frozenset(split.context.solver.classes.externals(scope.owner))
    return scope.owner if bases & RUNNING_EPOCHS.bases else None


def _always_drawn(split: Split) -> bool:
    """Whether `setup` draws whenever it runs: no test, and no way out before."""
    leaves = any(isinstance(s, Return) for s in walk.statements(split.call.scope.body))
    return split.is_certain and not leaves


def _hooks_of(split: Split) -> frozenset[str]:
    """The hooks whose loaders take samples of a part."""
    found = split.context[Consumption]
    return frozenset(
        hook
        for group in split.context[Loaders].by_call().values()
        for loader in group
        for value in loader.values("dataset")
        if isinstance(value, AllocationSite) and value.call is split.call
        for hook in found.hooks_of(loader.made)
    )


def _entries(context: AnalysisContext, name: str, owner: Class) -> Iterator[ex.Call]:
    """The calls of one method of a Trainer that take their data from the class."""
    for call in calls_anywhere(context, name):
        if not isinstance(call.function, ex.Attribute) or not _is_certain(call):
            continue
        values = context.values(call.function.value, call.scope)
        paths = {path for value in values for path in library_classes(context, value)}
        if paths & RUNNING_EPOCHS.objects and _takes_from(context, call, owner):
            yield call


def _takes_from(context: AnalysisContext, call: ex.Call, owner: Class) -> bool:
    """Whether it is handed an object of the class; a later entry may leave it to the Trainer."""
    if not call.arguments:
        return call.name != FIT
    if any(written(call, None, name) is not None for name in _LOADERS):
        return False
    family = context.solver.classes.family(owner)
    return any(
        attributes.project_class(value) in family
        for argument in call.arguments
        for value in context.values(argument.value, call.scope)
    )


def _follows(context: AnalysisContext, fit: ex.Call, later: ex.Call) -> bool:
    """Whether one run of some function certainly comes to both, first to the training."""
    return any(
        one.scope is other.scope and When.BEFORE in relative_order(one.statement, other.statement)
        for one in _sites(context, fit)
        for other in _sites(context, later)
    )


def _sites(context: AnalysisContext, call: ex.Call) -> list[ex.Call]:
    """A call, and those of the functions that certainly come to it."""
    found, front = [call], [call]
    for _ in range(_DEEP):
        callers = (caller for one in front for caller in callers_of(context, one.scope))
        front = [caller for caller in callers if _is_certain(caller)]
        found += front
    return found


def _is_certain(call: ex.Call) -> bool:
    return all(is_main_guard(test) for test, _ in tests_of_call(call))
