"""Which loaders without workers would do better with some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.model.data import in_memory
from dlint.model.data.datasets import are_read_first
from dlint.model.data.given_datasets import is_handed_in
from dlint.model.loading.remade_loaders import takes_over
from dlint.model.loading.roles import is_only_tried, is_self_test
from dlint.model.loops.evaluated_epochs import is_evaluated_beside_training
from dlint.model.loops.few_batches import (
    begins_anew_for_each_batch,
    is_asked_now_and_then,
    reads_few_at_a_time,
    takes_few_steps,
)
from dlint.model.machines.cpu_builds import has_no_cuda
from dlint.model.machines.timing import waits_for_person
from dlint.model.samples import sample_kinds, samples
from dlint.model.samples.sample_work import (
    asks_cache,
    is_iterable,
    sample_work,
    takes_samples_itself,
)
from dlint.model.transfers.copies import helped_by_pinning
from dlint.model.workers.chosen_counts import is_chosen
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import has_few_epochs, making_samples
from dlint.rules.loader import _pinning
from dlint.rules.loader._lasting_workers import rounds

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


def wants_workers(loader: Loader) -> bool:
    """Whether workers would do what the training process does: for samples, or for copies."""
    if not loader.workers.is_zero or not may_have_some(loader):
        return False
    if takes_over(loader, "num_workers"):
        return False
    return sample_work(loader) is not None or _is_fed_plainly(loader)


def may_have_some(loader: Loader) -> bool:
    """Whether a loader could use workers: its samples are taken by index, and several of them."""
    if not loader.is_iterated or not loader.is_made or takes_few_steps(loader):
        return False
    if loader.is_for_debugging or loader.is_threaded or begins_anew_for_each_batch(loader):
        return False
    if samples.yields_cuda(loader) or is_iterable(loader) or volume_of(loader).has_one_sample:
        return False
    return not (is_self_test(loader) or is_only_tried(loader) or waits_for_person(loader.loops))


def _is_fed_plainly(loader: Loader) -> bool:
    """Whether a loop that trains copies its batches to a GPU, with nothing made ahead of it.

    Nobody has decided so, and nothing is known of the samples but that more is done for them than
    indexing.
    """
    if loader.workers.is_decided or not loader.trains:
        return False
    if in_memory.only_indexes(loader) or asks_cache(loader):
        return False
    return _pinning.wants_pinning(loader) and _pinning.is_proven(helped_by_pinning(loader))


def _is_read_in_each_epoch(loader: Loader) -> bool:
    """Whether each epoch of a training reads pictures or sound anew to evaluate on them."""
    work = sample_work(loader)
    if work is None or work.verb != "read" or not work.is_of_media:
        return False
    epochs = rounds(loader)
    used = (epoch for epoch in epochs if epoch.batch_loop.uses_batches)
    return not has_few_epochs(volume_of(loader)) and any(map(is_evaluated_beside_training, used))


def is_costly(loader: Loader) -> bool:
    """A cost in a loop on the GPU, run again and again, that is not known to be small.

    A 0 that the call is given is somebody's decision, and so is none where a comment speaks of
    workers, or a default that the project explains. Where it is seen who makes the data set,
    something in it must be known to take long: of what unknown code makes, readers found most to be
    small or in memory. So is an evaluation in each epoch of a training, of pictures or sound that
    are read for it.
    """
    if is_chosen(loader) or loader.workers.is_remarked_on:
        return False
    if is_asked_now_and_then(loader) or not (loader.trains or _is_read_in_each_epoch(loader)):
        return False
    if reads_few_at_a_time(loader):
        return False
    if making_samples(volume_of(loader)).is_noticeable is False or has_no_cuda(
        loader.context, loader.place.path
    ):
        return False
    work = sample_work(loader)
    if work is not None and work.verb == "transformed" and are_read_first(loader):
        return False
    if work is not None:
        return work.is_heavy and loader.reaches_cuda
    if sample_kinds.takes_no_time(loader) or takes_samples_itself(loader):
        return False
    if not (is_handed_in(loader) and _is_fed_plainly(loader)):
        return False
    return _pinning.severity(loader, helped_by_pinning(loader)) is Severity.WARNING
