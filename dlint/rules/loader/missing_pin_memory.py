"""missing-pin-memory: batches that go to CUDA from a loader that does not pin them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.frameworks import Duty
from dlint.model.data import in_memory
from dlint.model.loading.call_contexts import placed
from dlint.model.loading.config_settings import origins, settings
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.roles import serves_training
from dlint.model.machines.hardware import may_capture_graphs
from dlint.model.samples import samples
from dlint.model.transfers.copies import helped_by_pinning, may_be_asynchronous, paired_operations
from dlint.model.worth.worth import amount
from dlint.rules.loader._pinning import give, pinned_where, severity, wants_pinning

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer

_CONFIGURED = (
    "`{key}` is off for this loader; if its batches are copied to a GPU, copies from pageable "
    "memory are slower: measure `{key}` on, together with workers"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders without `pin_memory` whose batches are copied to CUDA in a loop."""
    for found in placed(context, wants_pinning, lambda loader: not loader.is_unpinned):
        yield _finding(found.loaders[0], found.loaders, at_caller=found.at_caller)
    for place, key in settings(context, "pin_memory", False):
        yield Finding(Severity.INFO, _CONFIGURED.format(key=key), place)


def _finding(first: Loader, loaders: list[Loader], *, at_caller: bool = False) -> Finding:
    helped = {loader: helped_by_pinning(loader) for loader in loaders}
    copies = list(dict.fromkeys(t for found in helped.values() for t in found))
    explicit = any(not a.is_absent for a in first.pinning)
    place = first.context_place if at_caller else first.place
    related = tuple(Related(t.place, "the batch is copied to the device here") for t in copies[:3])
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
        first.argument_place("pin_memory"),
        () if first.drops_workers else ("persistent-workers-with-pinning",),
    )


def _most_severe(helped: dict[Loader, list[Transfer]], *, explicit: bool) -> Severity:
    found = {_severity(loader, copies, explicit) for loader, copies in helped.items()}
    return Severity.WARNING if Severity.WARNING in found else Severity.INFO


def _severity(loader: Loader, copies: list[Transfer], explicit: bool) -> Severity:
    """Without workers the training process pins: advice to be given with that of workers.

    What learns from nothing reads less, and most often waits for each result.
    """
    if explicit or loader.workers_absent or not serves_training(loader):
        return Severity.INFO
    if loader.workers.may_be_zero and loader.workers.present is None:
        return Severity.INFO  # all that is known of the number is that it is 0
    return severity(loader, copies)


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
        advice += "; it pays together with `num_workers`"
    return loader.in_words(f"{what}, but {how}{how_much}; {advice}")


def _fix(first: Loader, loaders: list[Loader], copies: list[Transfer]) -> Fix | None:
    """Pin, and let the copies that this makes worthwhile run asynchronously."""
    if first.workers_absent and first.workers.is_decided:
        return None  # the training process would pin, and nothing would be gained
    safe = all(samples.collate_functions(loader) == [] for loader in loaders)
    safe = safe and not may_capture_graphs(first.context, first.place.path)
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    paired = paired_operations(copies)
    title = "Pin the batches" + (" and copy them without blocking" if paired else "")
    pin = give(first, "pin_memory", pinned_where(copies))
    return Fix(applicability, title, (pin, *paired))
