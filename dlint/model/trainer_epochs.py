"""Trainers that run the epochs themselves, and begin a loader anew in each.

Question: which `Trainer(…)` of a framework certainly runs a loader for more than a few epochs?
Followed: loaders that the framework asks a hook for, or that `fit` is given, and what every trainer
of the program is given for `max_epochs`. Silent where one of them has few epochs, counts steps
instead, asks for new loaders, or is only tried.

And which trainer trains on a loader, if not surely for one epoch: `teacher_of`. Lightning runs 1000
epochs where nothing limits them (lightning/pytorch/loops/fit_loop.py, `_FitLoop.__init__`; in
lightning/pytorch/trainer/trainer.py the parameter `max_epochs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, constructions_of
from dlint.ir import expressions as ex
from dlint.library_facts.frameworks import RUNNING_EPOCHS
from dlint.model.frameworks import FIT, Consumption
from dlint.model.worth import FEW_EPOCHS
from dlint.semantics.values.values import AllocationSite, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_EPOCHS = "max_epochs"
_OTHERS = (
    "max_steps",
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
    if not _is_fitted(loader):
        return None
    context = loader.context
    trainers = context[_trainers]
    run_long = all(_runs_long(context, call) for call in trainers)
    return trainers[0] if trainers and run_long else None


def teacher_of(loader: Loader) -> ex.Call | None:
    """The call that makes a trainer which trains on a loader, not surely for a single epoch."""
    if not loader.context[Consumption].trains(loader.made):
        return None
    trainers = _teachers(loader)
    return trainers[0] if trainers and not any(_is_short(loader, t) for t in trainers) else None


def counts_epochs(context: AnalysisContext, trainer: ex.Call) -> bool:
    """Whether epochs end what a trainer does, so far as its call says, and not steps."""
    given = any(a.star for a in trainer.arguments)
    return not given and not bind(context, trainer).may_be_given(_STEPS)


def _teachers(loader: Loader) -> list[ex.Call]:
    """The trainers that `fit` on a loader: those of that call, or any, where a hook returns it."""
    context = loader.context
    found: list[ex.Call] = []
    for framework, call in context[Consumption].of(loader.made):
        if framework.name != RUNNING_EPOCHS.name:
            continue
        if call is not None and isinstance(call.function, ex.Attribute):
            receivers = context.values(call.function.value, call.scope)
            found += [v.call for v in receivers if isinstance(v, AllocationSite)]
        elif any(True for _ in calls_anywhere(context, FIT)):
            found += context[_trainers]
    return found


def _is_short(loader: Loader, trainer: ex.Call) -> bool:
    """Whether a trainer runs one epoch, or tries a few batches out."""
    bound = bind(loader.context, trainer)
    if any(map(bound.may_be_given, _TRIALS)) and not any(a.star for a in trainer.arguments):
        return True
    return any(isinstance(v, Literal) and v.value in (0, 1) for v in bound.values(_EPOCHS))


def may_be_cut_short(loader: Loader) -> bool:
    """Whether a trainer that evaluates a loader may take some of its batches only: the order
    decides which."""
    if not loader.context[Consumption].of(loader.made):
        return False
    bound = (bind(loader.context, call) for call in loader.context[_trainers])
    return any(one.may_be_given(name) for one in bound for name in _LIMITS)


def _is_fitted(loader: Loader) -> bool:
    found = loader.context[Consumption]
    hooks = found.hooks_of(loader.made)
    fitted = any(hook.startswith(("train", "val")) for hook in hooks)
    return any(
        framework.name == RUNNING_EPOCHS.name and (fitted if call is None else call.name == FIT)
        for framework, call in found.of(loader.made)
    )


def _trainers(context: AnalysisContext) -> tuple[ex.Call, ...]:
    return tuple(constructions_of(context, *sorted(RUNNING_EPOCHS.objects)))


def _runs_long(context: AnalysisContext, call: ex.Call) -> bool:
    bound = bind(context, call)
    if any(a.star for a in call.arguments) or any(map(bound.may_be_given, _OTHERS)):
        return False
    epochs = bound.values(_EPOCHS)
    return bool(epochs) and all(
        isinstance(value, Literal)
        and isinstance(value.value, int)
        and value.value > FEW_EPOCHS.value
        for value in epochs
    )
