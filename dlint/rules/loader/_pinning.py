"""Which loaders want pinned batches, what that is worth, and how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.findings.operations import Operation, SetArgument, SetKey
from dlint.library_facts.frameworks import Duty
from dlint.model.data import in_memory
from dlint.model.loading.argument_homes import keywords_place
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.fresh_workers import has_none_where_shown
from dlint.model.loading.remade_loaders import takes_over
from dlint.model.loading.trainer_epochs import fitted_by
from dlint.model.loops.few_batches import (
    are_copied_now_and_then,
    begins_anew_for_each_batch,
    takes_few_steps,
)
from dlint.model.loops.step_costs import dwarf_copies
from dlint.model.machines import timing
from dlint.model.machines.cpu_builds import has_no_cuda
from dlint.model.machines.hardware import captures_graphs, mentions_cuda
from dlint.model.samples import samples
from dlint.model.samples.media import may_be_large
from dlint.model.samples.token_ids import consists_of_ids
from dlint.model.transfers.copies import copies_what_host_made, helped_by_pinning
from dlint.model.transfers.devices import Device
from dlint.model.transfers.renewed_batches import renewed_loaders
from dlint.model.transfers.target_copies import is_of_classes
from dlint.model.versions.code_versions import is_of_long_ago
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import pinning

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer

_PIN = "torch.cuda.is_available()"


def wants_pinning(loader: Loader) -> bool:
    """Whether batches of a loader that pins none go to a GPU, and pinning would serve them."""
    if not loader.is_unpinned or not loader.is_iterated or not loader.is_made:
        return False
    if loader.is_for_debugging or loader.is_pinned_by_framework:
        return False
    if takes_few_steps(loader) or begins_anew_for_each_batch(loader):
        return False
    if samples.yields_cuda(loader) or samples.cannot_be_pinned(loader):
        return False
    if samples.hides_tensors(loader) or samples.opaque_batches(loader):
        return False
    if samples.is_placeholder(loader) or samples.is_one_batch(loader):
        return False
    if takes_over(loader, "pin_memory"):
        return False
    if timing.compares_pinning(loader) or timing.waits_for_person(loader.loops):
        return False
    helped = helped_by_pinning(loader)
    if are_copied_now_and_then(loader, helped):
        return False
    return bool(helped) or _moved_by_framework(loader)


def _moved_by_framework(loader: Loader) -> bool:
    framework = loader.context[Consumption].takes_over(loader.made, Duty.MOVES_BATCH)
    return framework is not None and not samples.is_opaque(loader)


def severity(loader: Loader, copies: list[Transfer]) -> Severity:
    """A warning where nothing speaks against pinning, and its batches are known to be large.

    Without workers it is the training process that pins: this is for a loader that has some, or is
    given some with it.
    """
    if has_no_cuda(loader.context, loader.place.path):
        return Severity.INFO
    if not may_be_large(loader, pinning(volume_of(loader))):
        return Severity.INFO
    if has_none_where_shown(loader.context, loader):
        return Severity.INFO  # and it is the training process that pins
    if dwarf_copies(loader) or _are_ids(loader, copies):
        return Severity.INFO
    if in_memory.is_better_without_workers(loader):
        return Severity.INFO  # and without them it is the training process that pins
    if any(captures_graphs(loader.context, loop.place.path) for loop in loader.loops):
        return Severity.INFO  # the pinning thread may break a capture in its global mode
    places = [loader.place, *(t.place for t in copies), *(loop.place for loop in loader.loops)]
    if is_of_long_ago(loader.context, {place.path for place in places}):
        return Severity.INFO
    if _is_renewed(loader):
        return Severity.INFO
    if copies_what_host_made(loader):
        return Severity.INFO
    return Severity.WARNING if copies or _speaks_of_gpu(loader) else Severity.INFO


def _is_renewed(loader: Loader) -> bool:
    """Whether more than the classes of a batch is made anew before it is copied: what is left is
    less than the batch."""
    renewed = (t for t in loader.transfers if loader.made in renewed_loaders(t))
    return not all(map(is_of_classes, renewed))


def _are_ids(loader: Loader, copies: list[Transfer]) -> bool:
    """Whether batches are token ids: some hundred kilobytes before a large model."""
    ids = consists_of_ids(loader, copies)
    return ids and not pinning(volume_of(loader)).is_noticeable


def is_proven(copies: list[Transfer]) -> bool:
    """Whether one of some copies certainly goes to CUDA on some path."""
    return any(Device.CUDA in copy.devices for copy in copies)


def _speaks_of_gpu(loader: Loader) -> bool:
    """Whether the files that make the loader, hand it to a framework or make the trainer that asks
    for it speak of a GPU.
    """
    context = loader.context
    calls = [call for _, call in context[Consumption].of(loader.made) if call is not None]
    places = [loader.place, *map(context.place_of, (*calls, *fitted_by(loader)))]
    return any(mentions_cuda(context, path) for path in dict.fromkeys(p.path for p in places))


def give(loader: Loader, name: str, value: str) -> Operation:
    """Give a loader an argument: in its call, or in the dict that the call unpacks."""
    mapping = keywords_place(loader)
    if mapping is not None:
        return SetKey(mapping, name, value)
    return SetArgument(loader.place, loader.keyword(name), value, loader.position(name))


def pinned_where(copies: list[Transfer]) -> str:
    """When to pin, as source text: always, where the program copies to a GPU without asking."""
    always = bool(copies) and all(t.device is None for t in copies)
    return "True" if always else _PIN
