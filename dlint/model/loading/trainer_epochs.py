"""Trainers that run the epochs themselves, and begin a loader anew in each.

Question: which `Trainer(…)` of a framework certainly runs a loader for more than a few epochs?
Followed: loaders that `fit` is given, and what its trainer is given for `max_epochs`; loaders that
the framework asks a hook for, and every trainer of the program that fits anything but another data
module. Silent where none is seen to get the object with the hook and one of them has few epochs,
counts steps instead, asks for new loaders, or is only tried; what is given and off, as by the
default of an option, counts as not given. Lightning runs 1000 epochs where
nothing limits them, and has no end at -1 (lightning/pytorch/loops/utilities.py,
`_parse_loop_limits`).

And which one may, as it is given a number of epochs that nobody knows: `open_trainer_of`; which
trainer trains on a loader, if not surely for one epoch: `teacher_of`; which ones fit on
it at all: `fitted_by`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind_made
from dlint.analyses.idle.idleness import IdleCode
from dlint.ir import expressions as ex
from dlint.library_facts.frameworks import RUNNING_EPOCHS
from dlint.model.loading.fits import Fit, fits, gives, gives_others, makers_of, trainer_calls
from dlint.model.loading.frameworks import FIT, Consumption
from dlint.model.worth.worth import FEW_EPOCHS
from dlint.semantics.values.values import FALSE, NONE, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.conditional_value import ConditionalValue

    _IsLong = Callable[[ConditionalValue], bool]

_EPOCHS = "max_epochs"
_OTHERS: Mapping[str, tuple[Literal, ...]] = {
    "max_steps": (NONE, Literal.of(-1)),
    "max_time": (NONE,),
    "fast_dev_run": (NONE, FALSE, Literal.of(0)),
    "overfit_batches": (NONE, Literal.of(0), Literal.of(0.0)),
    "limit_train_batches": (NONE, Literal.of(1.0)),
    "reload_dataloaders_every_n_epochs": (NONE, Literal.of(0)),
    "reload_dataloaders_every_epoch": (NONE, FALSE),
}
"""Arguments by which there may be few epochs, short ones, or new loaders in each, and with which
values they are off (lightning 2.5, trainer/connectors/data_connector.py, trainer/setup.py)."""
_TRIALS = ("fast_dev_run", "overfit_batches")
"""Arguments by which the same few batches are trained on, to try a model out."""
_STEPS = "max_steps"
_EVALUATING = "check_val_every_n_epoch"
_ENDLESS = -1
"""Epochs without an end."""
_LIMITS = ("limit_val_batches", "limit_test_batches", "limit_predict_batches")


def trainer_of(loader: Loader) -> ex.Call | None:
    """The call that makes a trainer which begins a loader anew in each of many epochs."""
    return _trainer(loader, _is_long)


def open_trainer_of(loader: Loader) -> ex.Call | None:
    """The same of a trainer that is given a number of epochs which the program does not say."""
    return _trainer(loader, lambda epochs: epochs.is_unknown or _is_long(epochs))


def _trainer(loader: Loader, is_long: _IsLong) -> ex.Call | None:
    trainers = _running(loader.context, fitted_by(loader))
    long = [trainer for trainer in trainers if _runs_long(loader.context, trainer, is_long)]
    given = [trainer for trainer in _given_to(loader) if trainer in long]
    return given[0] if given else long[0] if long and len(long) == len(trainers) else None


def teacher_of(loader: Loader) -> ex.Call | None:
    """The call that makes a trainer which trains on a loader, not surely for a single epoch."""
    if not loader.context[Consumption].trains(loader.made):
        return None
    trainers = _running(loader.context, fitted_by(loader))
    short = any(_is_short(loader.context, trainer) for trainer in trainers)
    return trainers[0] if trainers and not short else None


def is_validated_seldom(loader: Loader, trainer: ex.Call) -> bool:
    """Whether a trainer may go over a loader that it does not train on in some epochs only."""
    if loader.context[Consumption].trains(loader.made):
        return False
    return any(
        not a.is_absent and a.integer != 1
        for bound in bind_made(loader.context, trainer)
        for a in bound.alternatives(_EVALUATING)
    )


def _running(context: AnalysisContext, trainers: list[ex.Call]) -> list[ex.Call]:
    """The trainers that something may come to; all of them, where nothing comes to any."""
    idle = context[IdleCode]
    return [t for t in trainers if idle.reason(context.place_of(t)) is None] or trainers


def counts_epochs(context: AnalysisContext, trainer: ex.Call) -> bool:
    """Whether epochs end what a trainer does, so far as its call says, and not steps."""
    return not any(
        _is_open(bound) or _may_be_on(bound, _STEPS) for bound in bind_made(context, trainer)
    )


def fitted_by(loader: Loader) -> list[ex.Call]:
    """The trainers that `fit` on a loader: those of that call, or any, where a hook returns it."""
    context = loader.context
    found = context[Consumption]
    trainers: list[ex.Call] = []
    for framework, call in found.of(loader.made):
        if framework.name != RUNNING_EPOCHS.name:
            continue
        if call is None:
            trainers += [fit.trainer for fit in _asking(loader)]
        elif call.name == FIT:
            trainers += makers_of(context, call)
    return list(dict.fromkeys(trainers))


def _asking(loader: Loader) -> list[Fit]:
    """The calls of `fit` by which hooks may be asked for a loader, to train or to validate."""
    context, found = loader.context, loader.context[Consumption]
    if not any(hook.startswith(("train", "val")) for hook in found.hooks_of(loader.made)):
        return []
    owners = found.owners_of(loader.made)
    return [fit for fit in context[fits] if not gives_others(context, fit, owners)]


def _given_to(loader: Loader) -> list[ex.Call]:
    """The trainers that are given an object whose hook returns the loader."""
    owners = loader.context[Consumption].owners_of(loader.made)
    return [fit.trainer for fit in _asking(loader) if gives(loader.context, fit, owners)]


def _is_short(context: AnalysisContext, trainer: ex.Call) -> bool:
    """Whether a trainer runs one epoch, or tries a few batches out."""
    return any(map(_is_bound_short, bind_made(context, trainer)))


def _is_bound_short(bound: Bound) -> bool:
    if not _is_open(bound) and any(_may_be_on(bound, name) for name in _TRIALS):
        return True
    return any(isinstance(v, Literal) and v.value in (0, 1) for v in bound.values(_EPOCHS))


def _may_be_on(bound: Bound, name: str) -> bool:
    """Whether a call gives an argument something else than what it is by default, or may."""
    return any(not a.is_absent and a.value not in _OTHERS[name] for a in bound.alternatives(name))


def _is_open(bound: Bound) -> bool:
    """Whether a call unpacks something, so that it may be given more than it writes."""
    return any(argument.star for argument, _ in bound.arguments.arguments.arguments)


def may_be_cut_short(loader: Loader) -> bool:
    """Whether a trainer that evaluates a loader may take some of its batches only: the order
    decides which."""
    context, found = loader.context, loader.context[Consumption]
    if not found.of(loader.made):
        return False
    owners = found.owners_of(loader.made)
    apart = {fit.trainer for fit in context[fits] if gives_others(context, fit, owners)}
    calls = [call for call in context[trainer_calls] if call not in apart]
    bound = (one for call in calls for one in bind_made(context, call))
    return any(one.may_be_given(name) for one in bound for name in _LIMITS)


def _runs_long(context: AnalysisContext, call: ex.Call, is_long: _IsLong) -> bool:
    bound = bind_made(context, call)
    return bool(bound) and all(_is_bound_long(one, is_long) for one in bound)


def _is_bound_long(bound: Bound, is_long: _IsLong) -> bool:
    if any(_may_be_on(bound, name) for name in _OTHERS):
        return False
    return not bound.may_be_given(_EPOCHS) or all(map(is_long, bound.alternatives(_EPOCHS)))


def _is_long(epochs: ConditionalValue) -> bool:
    number = epochs.integer
    return number is not None and (number > FEW_EPOCHS.value or number == _ENDLESS)
