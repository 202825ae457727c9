"""Trainers that run the epochs themselves, and begin a loader anew in each.

Question: which `Trainer(…)` of a framework certainly runs a loader for more than a few epochs?
Followed: loaders that `fit` is given, and what its trainer is given for `max_epochs`; loaders that
the framework asks a hook for, and every trainer of the program that fits anything. Silent where one
of them has few epochs, counts steps instead, asks for new loaders, or is only tried. Lightning runs
1000 epochs where nothing limits them (lightning/pytorch/loops/utilities.py, `_parse_loop_limits`).

And which trainer trains on a loader, if not surely for one epoch: `teacher_of`; which ones fit on
it at all: `fitted_by`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind_made
from dlint.analyses.calls import calls_anywhere, constructions_of, is_call_to
from dlint.analyses.idle.idleness import IdleCode
from dlint.ir import expressions as ex
from dlint.library_facts.frameworks import RUNNING_EPOCHS
from dlint.model.loading.frameworks import FIT, Consumption, users_of_hooks
from dlint.model.worth.worth import FEW_EPOCHS
from dlint.semantics.values.values import AllocationSite, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_EPOCHS = "max_epochs"
_OTHERS = (
    "max_steps",
    "max_time",
    "fast_dev_run",
    "overfit_batches",
    "limit_train_batches",
    "reload_dataloaders_every_n_epochs",
    "reload_dataloaders_every_epoch",
)
"""Arguments by which there may be few epochs, short ones, or new loaders in each."""
_TRIALS = ("fast_dev_run", "overfit_batches")
"""Arguments by which the same few batches are trained on, to try a model out."""
_STEPS = "max_steps"
_LIMITS = ("limit_val_batches", "limit_test_batches", "limit_predict_batches")


def trainer_of(loader: Loader) -> ex.Call | None:
    """The call that makes a trainer which begins a loader anew in each of many epochs."""
    trainers = _running(loader.context, fitted_by(loader))
    run_long = all(_runs_long(loader.context, trainer) for trainer in trainers)
    return trainers[0] if trainers and run_long else None


def teacher_of(loader: Loader) -> ex.Call | None:
    """The call that makes a trainer which trains on a loader, not surely for a single epoch."""
    if not loader.context[Consumption].trains(loader.made):
        return None
    trainers = _running(loader.context, fitted_by(loader))
    short = any(_is_short(loader.context, trainer) for trainer in trainers)
    return trainers[0] if trainers and not short else None


def _running(context: AnalysisContext, trainers: list[ex.Call]) -> list[ex.Call]:
    """The trainers that something may come to; all of them, where nothing comes to any."""
    idle = context[IdleCode]
    return [t for t in trainers if idle.reason(context.place_of(t)) is None] or trainers


def counts_epochs(context: AnalysisContext, trainer: ex.Call) -> bool:
    """Whether epochs end what a trainer does, so far as its call says, and not steps."""
    return not any(
        _is_open(bound) or bound.may_be_given(_STEPS) for bound in bind_made(context, trainer)
    )


def fitted_by(loader: Loader) -> list[ex.Call]:
    """The trainers that `fit` on a loader: those of that call, or any, where a hook returns it."""
    context = loader.context
    found = context[Consumption]
    asked = any(hook.startswith(("train", "val")) for hook in found.hooks_of(loader.made))
    trainers: list[ex.Call] = []
    for framework, call in found.of(loader.made):
        if framework.name != RUNNING_EPOCHS.name:
            continue
        if call is None:
            trainers += context[_fitting] if asked else ()
        elif call.name == FIT:
            trainers += _receivers(context, call)
    return trainers


def _fitting(context: AnalysisContext) -> tuple[ex.Call, ...]:
    """The calls that make the trainers whose `fit` the program calls, on whatever."""
    known = set(context[_trainers])
    calls = calls_anywhere(context, FIT)
    found = (made for call in calls for made in _receivers(context, call))
    return tuple(dict.fromkeys(x for x in found if x in known or _is_trainer(context, x)))


def _is_trainer(context: AnalysisContext, made: ex.Call) -> bool:
    """Whether a call makes a trainer itself: one of a config file, which no module writes."""
    return is_call_to(context, made, RUNNING_EPOCHS.objects)


def _receivers(context: AnalysisContext, call: ex.Call) -> list[ex.Call]:
    """The calls that make the objects whose method is called."""
    if not isinstance(call.function, ex.Attribute):
        return []
    values = context.values(call.function.value, call.scope)
    return [value.call for value in values if isinstance(value, AllocationSite)]


def _is_short(context: AnalysisContext, trainer: ex.Call) -> bool:
    """Whether a trainer runs one epoch, or tries a few batches out."""
    return any(map(_is_bound_short, bind_made(context, trainer)))


def _is_bound_short(bound: Bound) -> bool:
    if any(map(bound.may_be_given, _TRIALS)) and not _is_open(bound):
        return True
    return any(isinstance(v, Literal) and v.value in (0, 1) for v in bound.values(_EPOCHS))


def _is_open(bound: Bound) -> bool:
    """Whether a call unpacks something, so that it may be given more than it writes."""
    return any(argument.star for argument, _ in bound.arguments.arguments.arguments)


def may_be_cut_short(loader: Loader) -> bool:
    """Whether a trainer that evaluates a loader may take some of its batches only: the order
    decides which."""
    if not loader.context[Consumption].of(loader.made):
        return False
    calls = loader.context[_trainers]
    bound = (one for call in calls for one in bind_made(loader.context, call))
    return any(one.may_be_given(name) for one in bound for name in _LIMITS)


def _trainers(context: AnalysisContext) -> tuple[ex.Call, ...]:
    context[users_of_hooks]
    return tuple(constructions_of(context, *sorted(RUNNING_EPOCHS.objects)))


def _runs_long(context: AnalysisContext, call: ex.Call) -> bool:
    return all(map(_is_bound_long, bind_made(context, call)))


def _is_bound_long(bound: Bound) -> bool:
    if any(map(bound.may_be_given, _OTHERS)):
        return False
    if not bound.may_be_given(_EPOCHS):
        return True
    epochs = bound.values(_EPOCHS)
    return bool(epochs) and all(
        isinstance(value, Literal)
        and isinstance(value.value, int)
        and value.value > FEW_EPOCHS.value
        for value in epochs
    )
