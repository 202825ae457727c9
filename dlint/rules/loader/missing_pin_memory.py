"""missing-pin-memory: batches that go to CUDA from a loader that does not pin them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, SetArgument, SetKey
from dlint.library_facts.frameworks import Duty
from dlint.model import in_memory, samples, timing
from dlint.model.call_contexts import placed
from dlint.model.config_settings import origins, settings
from dlint.model.copies import (
    copies_what_host_made,
    helped_by_pinning,
    may_be_asynchronous,
    paired_operations,
)
from dlint.model.dated_code import is_dated
from dlint.model.devices import Device
from dlint.model.frameworks import Consumption
from dlint.model.hardware import captures_graphs, may_capture_graphs, mentions_cuda
from dlint.model.worth import amount
from dlint.semantics.values.conditional_value import ABSENT

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.transfers import Transfer

_PIN = "torch.cuda.is_available()"

_CONFIGURED = (
    "`{key}` is off for this loader; if its batches are copied to a GPU, copies from pageable "
    "memory are slower: measure `{key}` on, together with workers"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders without `pin_memory` whose batches are copied to CUDA in a loop."""
    for found in placed(context, _is_wanting, lambda loader: not loader.is_unpinned):
        yield _finding(found.loaders[0], found.loaders, at_caller=found.at_caller)
    for place, key in settings(context, "pin_memory", False):
        yield Finding(Severity.INFO, _CONFIGURED.format(key=key), place)


def _is_wanting(loader: Loader) -> bool:
    if not loader.is_unpinned or not loader.is_iterated or not loader.is_made:
        return False
    if loader.is_for_debugging:
        return False
    if samples.yields_cuda(loader) or samples.cannot_be_pinned(loader):
        return False
    if samples.hides_tensors(loader) or samples.is_placeholder(loader):
        return False
    if samples.is_one_batch(loader):
        return False
    if timing.compares_pinning(loader) or timing.waits_for_person(loader.loops):
        return False
    if loader.is_pinned_by_framework:
        return False
    return bool(helped_by_pinning(loader)) or _moved_by_framework(loader)


def _moved_by_framework(loader: Loader) -> bool:
    framework = loader.context[Consumption].takes_over(loader.made, Duty.MOVES_BATCH)
    return framework is not None and not samples.is_opaque(loader)


def _finding(first: Loader, loaders: list[Loader], *, at_caller: bool = False) -> Finding:
    helped = {loader: helped_by_pinning(loader) for loader in loaders}
    copies = list(dict.fromkeys(t for found in helped.values() for t in found))
    explicit = any(a.value != ABSENT for a in first.pinning)
    place = first.context_place if at_caller else first.place
    related = tuple(
        Related(t.context.place_of(t.call), "the batch is copied to the device here")
        for t in copies[:3]
    )
    said = origins(first.context, first.pinning)[:3]
    related += tuple(Related(place, "the config says so here") for place in said)
    if at_caller:
        related = (Related(first.place, "the loader is made here"), *related)
    return Finding(
        _most_severe(helped, explicit=explicit),
        _message(first, copies, explicit, amount(loaders)),
        place,
        related,
        None if at_caller or explicit else _fix(first, loaders, copies),
    )


def _most_severe(helped: dict[Loader, list[Transfer]], *, explicit: bool) -> Severity:
    found = {_severity(loader, copies, explicit) for loader, copies in helped.items()}
    return Severity.WARNING if Severity.WARNING in found else Severity.INFO


def _severity(loader: Loader, copies: list[Transfer], explicit: bool) -> Severity:
    if explicit:
        return Severity.INFO
    proven = any(Device.CUDA in t.devices for t in copies)
    if loader.workers_absent and not (loader.trains and proven):
        return Severity.INFO
    if loader.workers_absent and in_memory.only_indexes(loader):
        return Severity.INFO
    if any(captures_graphs(loader.context, loop.scope.module) for loop in loader.loops):
        return Severity.INFO  # the pinning thread may break a capture in its global mode
    scopes = [loader.call.scope, *(t.call.scope for t in copies), *(x.scope for x in loader.loops)]
    if any(is_dated(loader.context, module) for module in {scope.module for scope in scopes}):
        return Severity.INFO
    if any(t.copies_renewed(loader.made) for t in loader.transfers):
        return Severity.INFO
    if copies_what_host_made(loader):
        return Severity.INFO
    return Severity.WARNING if copies or _speaks_of_gpu(loader) else Severity.INFO


def _speaks_of_gpu(loader: Loader) -> bool:
    """Whether the modules that make the loader and hand it to a framework speak of a GPU."""
    context = loader.context
    calls = [call for _, call in context[Consumption].of(loader.made) if call is not None]
    modules = {loader.call.scope.module, *(call.scope.module for call in calls)}
    return any(mentions_cuda(context, module) for module in modules)


def _message(loader: Loader, copies: list[Transfer], explicit: bool, how_much: str) -> str:
    what = "DataLoader has " + ("`pin_memory=False`" if explicit else "no `pin_memory`")
    assumed = next((a.assumed for a in loader.pinning if a.assumed), None)
    if assumed is not None:
        what = f"`pin_memory` of this DataLoader is off by the {assumed}"
    framework = loader.context[Consumption].takes_over(loader.made, Duty.MOVES_BATCH)
    if copies or framework is None:
        how = "its batches are copied to the GPU, and copies from pageable memory are slower"
        advice = "set `pin_memory=True`"
        if all(map(may_be_asynchronous, copies)) and any(t.is_blocking for t in copies):
            advice += " and copy with `non_blocking=True`"
    else:
        how = f"{framework.name} copies its batches to the device without pinning them first"
        advice = "set `pin_memory=True`"
    if loader.workers.may_be_zero and not in_memory.only_indexes(loader):
        advice += "; it pays most together with `num_workers`"
    return loader.in_words(f"{what}, but {how}{how_much}; {advice}")


def _fix(first: Loader, loaders: list[Loader], copies: list[Transfer]) -> Fix:
    """Pin, and let the copies that this makes worthwhile run asynchronously."""
    always = bool(copies) and all(t.device is None for t in copies)
    value = "True" if always else _PIN
    position = first.position("pin_memory")
    mapping = first.keywords_place
    pin: Operation = SetArgument(first.place, "pin_memory", value, position)
    if mapping is not None:
        pin = SetKey(mapping, "pin_memory", value)
    safe = all(samples.collate_functions(loader) == [] for loader in loaders)
    safe = safe and not may_capture_graphs(first.context, first.place.path)
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    paired = paired_operations(copies)
    title = "Pin the batches" + (" and copy them without blocking" if paired else "")
    return Fix(applicability, title, (pin, *paired))
