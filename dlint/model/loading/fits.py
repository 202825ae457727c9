"""Calls of `fit`: which trainer each is a method of, and whose hooks it may ask for loaders.

Question: by which calls may a trainer of a framework train on what the hooks of a class return?
Followed: what makes the receiver, in code or in a config file; the data module that a call gives.
Of what `instantiate` makes of settings that only a command line completes, all trainers count that
config files describe. Given up on: models, which may bring data of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere, constructions_of, is_call_to, library_callees
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.config_files import INSTANTIATE
from dlint.library_facts.frameworks import DATA_MODULES, RUNNING_EPOCHS
from dlint.model.loading.frameworks import FIT, users_of_hooks
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite
from dlint.workspace.kinds import is_config

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class

_MODULE, _AT = "datamodule", 3


class Fit(NamedTuple):
    """A call of `fit`, and one that makes the trainer whose method it is."""

    call: ex.Call
    trainer: ex.Call


def fits(context: AnalysisContext) -> tuple[Fit, ...]:
    """The calls of `fit` on trainers, each with every call that may make the trainer."""
    known = set(context[trainer_calls])
    found = (
        Fit(call, made)
        for call in calls_anywhere(context, FIT)
        for made in (*makers_of(context, call), *_described(context, call))
        if made in known or is_call_to(context, made, RUNNING_EPOCHS.objects)
    )
    return tuple(dict.fromkeys(found))


def trainer_calls(context: AnalysisContext) -> tuple[ex.Call, ...]:
    """The calls of the program that make trainers."""
    context[users_of_hooks]
    return tuple(constructions_of(context, *sorted(RUNNING_EPOCHS.objects)))


def makers_of(context: AnalysisContext, call: ex.Call) -> list[ex.Call]:
    """The calls that make the objects whose method is called."""
    if not isinstance(call.function, ex.Attribute):
        return []
    values = context.values(call.function.value, call.scope)
    return [value.call for value in values if isinstance(value, AllocationSite)]


def _described(context: AnalysisContext, call: ex.Call) -> Iterator[ex.Call]:
    """What config files describe, where `instantiate` makes the receiver of none that is known."""
    receiver = call.function.value if isinstance(call.function, ex.Attribute) else None
    if receiver is None or makers_of(context, call) or not _is_instantiated(context, receiver):
        return
    for facts in context.modules:
        calls = facts.module.body.calls if is_config(facts.module.path) else ()
        yield from (one for one in calls if context.values(one, one.scope))


def _is_instantiated(context: AnalysisContext, made: ex.Expression) -> bool:
    call = ex.unnamed(made)
    return isinstance(call, ex.Call) and not INSTANTIATE.isdisjoint(library_callees(context, call))


def gives(context: AnalysisContext, fit: Fit, owners: frozenset[Class]) -> bool:
    """Whether a call may give the trainer an object of a class, or an heir of it, as its data."""
    return any(owners.intersection(_lineage(context, cls)) for cls in _given(context, fit))


def gives_others(context: AnalysisContext, fit: Fit, owners: frozenset[Class]) -> bool:
    """Whether a call certainly gives the trainer data modules of other classes than these."""
    given = _given(context, fit)
    if not given or None in given or gives(context, fit, owners):
        return False
    return bool(owners) and all(_brings_data(context, cls) for cls in owners)


def _given(context: AnalysisContext, fit: Fit) -> frozenset[Class | None]:
    """The classes of the data module that a call gives; None among them where one is not known."""
    module = written(fit.call, _AT, _MODULE)
    if module is None:
        return frozenset()
    values = context.values(module, fit.call.scope)
    found = frozenset(attributes.project_class(value) for value in values)
    if None not in found or not _is_instantiated(context, module):
        return found
    return frozenset(_beside(context, fit.trainer)) or found


def _beside(context: AnalysisContext, trainer: ex.Call) -> Iterator[Class]:
    """The classes of the data modules that a config file describes beside a trainer."""
    module = trainer.scope.module
    for call in module.body.calls if is_config(module.path) else ():
        for value in context.values(call, call.scope):
            cls = attributes.project_class(value)
            if cls is not None and _brings_data(context, cls):
                yield cls


def _brings_data(context: AnalysisContext, cls: Class) -> bool:
    return not DATA_MODULES.isdisjoint(context.solver.classes.externals(cls))


def _lineage(context: AnalysisContext, cls: Class | None) -> tuple[Class, ...]:
    return () if cls is None else context.solver.classes.ancestors(cls)
