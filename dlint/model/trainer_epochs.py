"""Trainers that run the epochs themselves, and begin a loader anew in each.

Question: which `Trainer(…)` of a framework certainly runs a loader for more than a few epochs?
Followed: loaders that the framework asks a hook for, or that `fit` is given, and what every trainer
of the program is given for `max_epochs`. Silent where one of them has few epochs, counts steps
instead, asks for new loaders, or is only tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import constructions_of
from dlint.library_facts.frameworks import RUNNING_EPOCHS
from dlint.model.frameworks import FIT, Consumption
from dlint.model.worth import FEW_EPOCHS
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
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


def trainer_of(loader: Loader) -> ex.Call | None:
    """The call that makes a trainer which begins a loader anew in each of many epochs."""
    if not _is_fitted(loader):
        return None
    context = loader.context
    trainers = context[_trainers]
    run_long = all(_runs_long(context, call) for call in trainers)
    return trainers[0] if trainers and run_long else None


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
