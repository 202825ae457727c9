"""missing-shuffle: training that sees its samples in one and the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, SetArgument, SetKey
from dlint.model.data.dataset_changes import changes_dataset
from dlint.model.data.shuffled_data import comes_shuffled, is_drawn_at_random
from dlint.model.loading.argument_homes import keywords_place
from dlint.model.loading.remade_loaders import is_made_alike, is_made_in
from dlint.model.loading.roles import is_named_for_evaluation
from dlint.model.loading.trainer_epochs import counts_epochs, teacher_of
from dlint.model.loops.epochs import EpochLoop, epoch_loops
from dlint.model.loops.loop_limits import most_batches
from dlint.model.machines.timing import is_in_benchmark
from dlint.model.samplers.fixed_order import (
    has_fixed_sampler,
    is_drawn_by_ranks_alone,
    is_sampled_alike,
)
from dlint.model.samples.media import gives_media
from dlint.model.samples.sample_order import (
    draws_again_and_again,
    has_own_order,
    is_map_style,
    is_named_for_time,
    is_one_by_one,
    is_order_remarked_on,
)
from dlint.model.worth.volume import volume_of
from dlint.rules.loader._chosen import Chosen, chosen

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_MESSAGE = (
    "training sees the samples in the same order in every epoch, as {why} and no sampler is given; "
    "set `shuffle=True`, unless the order matters"
)
_SAMPLED = (
    "training sees the samples in the same order in every epoch, as the sampler of this DataLoader "
    "gives one order whenever it is begun; draw a new one in its `__iter__`, unless the order "
    "matters"
)
_OF_RANKS = (
    "a run of one process sees the samples in the same order in every epoch, as only several ranks "
    "get a sampler, and {why}; set `shuffle=True` where there is none, unless the order matters"
)
_COUNTED = "the epochs are counted here"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that train for several epochs in the order of the data set."""
    for found in chosen(context, "shuffle", _is_wanting):
        yield _finding(found)


def _is_off(loader: Loader) -> bool:
    """Whether nothing is given, `False` is, or what a run without options has."""
    return all(a.is_absent or a.is_false for a in loader.argument("shuffle"))


def _is_by_option(loader: Loader) -> bool:
    """Whether somebody made it an option that is off: a decision, if often an oversight."""
    return not all(a.holds_in_calls for a in loader.argument("shuffle"))


def _is_wanting(loader: Loader) -> bool:
    if not loader.is_off("shuffle"):
        return False
    if not is_sampled_alike(loader) and not is_drawn_by_ranks_alone(loader):
        return False
    if not loader.is_made or loader.is_for_debugging:
        return False
    if is_named_for_evaluation(loader) or not _is_off(loader):
        return False
    batches = volume_of(loader).batches
    if batches is not None and batches.high <= 1:
        return False
    if not is_map_style(loader) or has_own_order(loader) or is_in_benchmark(loader):
        return False
    repeats = any(True for _ in _epochs(loader)) or teacher_of(loader) is not None
    return repeats and not (comes_shuffled(loader) or is_drawn_at_random(loader))


def _epochs(loader: Loader) -> Iterator[EpochLoop]:
    """The epochs in which the loader's own batches are trained on, and more than one of them."""
    epochs = (e for e in epoch_loops(loader) if most_batches(e.batch_loop) != 1)
    return (e for e in epochs if e.batch_loop.trains and _gives_the_same(loader, e))


def _gives_the_same(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether each epoch goes over one loader, or over a new one of the same samples."""
    if not epoch.makes(loader.made):
        return True
    alike = is_made_in(loader, epoch) and is_made_alike(loader, epoch)
    return alike and not changes_dataset(loader, epoch)


def _finding(found: Chosen) -> Finding:
    loader = found.loaders[0]
    related = [*_shown(loader)]
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    elif found.others:
        related.append(Related(found.maker, "this loader is trained on"))
    sampled, of_ranks = has_fixed_sampler(loader), is_drawn_by_ranks_alone(loader)
    message = _SAMPLED if sampled else (_OF_RANKS if of_ranks else _MESSAGE).format(why=_why(found))
    decided = sampled or _is_by_option(loader)
    decided = decided or (_is_meant(loader) and not (of_ranks or _is_overlooked(loader)))
    fix = _fix(loader) if found.is_decided_there and not (decided or of_ranks) else None
    meant = decided or not _counts_epochs(loader) or is_one_by_one(loader)
    severity = Severity.INFO if meant else Severity.WARNING
    return Finding(severity, message, found.place, tuple(related), fix, found.argument_place)


def _shown(loader: Loader) -> Iterator[Related]:
    """Where the epochs are counted and the batches trained on, or who does so."""
    epoch = next(_epochs(loader), None)
    trainer = teacher_of(loader)
    if epoch is not None:
        yield Related(epoch.place, _COUNTED)
        yield Related(epoch.batch_loop.place, "the batches are trained on")
    elif trainer is not None:
        yield Related(loader.context.place_of(trainer), "this trainer runs the epochs")


def _counts_epochs(loader: Loader) -> bool:
    """Whether epochs are counted, and not steps, of which there may be fewer than one has."""
    trainer = teacher_of(loader)
    looped = any(True for _ in _epochs(loader))
    return looped or (trainer is not None and counts_epochs(loader.context, trainer))


def _why(found: Chosen) -> str:
    if found.default is not None:
        return f"`shuffle` is off by the {found.default}"
    return (
        "`shuffle=False` is given" if _is_meant(found.loaders[0]) else "`shuffle` is off by default"
    )


def _is_meant(loader: Loader) -> bool:
    """Whether somebody wrote `False` for these loaders: a decision, if often an oversight."""
    return any(a.is_false and a.assumed is None for a in loader.argument("shuffle"))


def _is_overlooked(loader: Loader) -> bool:
    """Whether `False` is written for pictures, sound or volumes, of whose order no comment speaks.

    Readers of findings took that for a mistake; series and texts may be kept in order on purpose.
    """
    meant = is_order_remarked_on(loader) or is_named_for_time(loader)
    meant = meant or draws_again_and_again(loader)
    return gives_media(loader) and not meant


def _fix(loader: Loader) -> Fix:
    """Draw a new order in each epoch."""
    mapping = keywords_place(loader)
    shuffle: Operation = SetArgument(loader.place, "shuffle", "True", loader.position("shuffle"))
    if mapping is not None:
        shuffle = SetKey(mapping, "shuffle", "True")
    return Fix(Applicability.UNSAFE, "Shuffle the samples", (shuffle,))
