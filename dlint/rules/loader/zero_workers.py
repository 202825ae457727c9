"""zero-workers: batches that the training process makes itself, while nobody else works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation
from dlint.library_facts.start_methods import SPAWNING_PLATFORMS
from dlint.model.loading.call_contexts import Placed, placed
from dlint.model.loading.config_settings import origins, settings, stated_in_shell
from dlint.model.samples.sample_work import SampleWork, sample_work
from dlint.model.transfers.copies import helped_by_pinning, may_be_asynchronous, operation
from dlint.model.workers.worker_hindrance import hindrance, lacks_main_guard
from dlint.model.worth.worth import amount
from dlint.rules.loader import _pinning
from dlint.rules.loader._lasting_workers import may_last, rounds
from dlint.rules.loader._wanted_workers import is_costly, may_have_some, wants_workers

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer

_CONFIGURED = (
    "with `{key}` at 0 the main process makes every batch itself, and whoever asks for "
    "one waits; where samples are read or decoded, measure `{key}` above 0"
)
_SPAWNING = " and ".join(SPAWNING_PLATFORMS)
_START = "4"
"""A number of workers to begin with: what pays depends on the machine, and is to be measured."""


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders without workers whose samples take work, or whose batches go to a GPU."""
    for found in placed(context, wants_workers, lambda loader: not loader.workers.is_zero):
        yield _finding(found)
    yield from _in_shell(context)
    for place, key in settings(context, "num_workers", 0):
        yield Finding(Severity.INFO, _CONFIGURED.format(key=key), place)


def _in_shell(context: AnalysisContext) -> Iterator[Finding]:
    """Where a shell script takes the workers from loaders that could use them, each place once."""
    for place, key, loaders in stated_in_shell(context, "num_workers", 0):
        wanting = (x for x in loaders if not x.workers.is_zero and may_have_some(x))
        loader = None if "debug" in place.path.rpartition("/")[2] else next(wanting, None)
        work = None if loader is None else sample_work(loader)
        if loader is not None and work is not None:
            message = _message(loader, work, f"`{key}` is 0 here", amount([loader]))
            related = Related(loader.place, "the loader is made here")
            yield Finding(Severity.INFO, message, place, (related,))


def _finding(found: Placed) -> Finding:
    loader = next((x for x in found.loaders if is_costly(x)), found.loaders[0])
    work = sample_work(loader)
    related = []
    if work is not None and work.place is not None:
        related.append(Related(work.place, _here(work)))
    for copy in helped_by_pinning(loader)[:3] if work is None else ():
        related.append(Related(copy.place, "the batch is copied to the device here"))
    for place in origins(loader.context, loader.workers.alternatives)[:3]:
        related.append(Related(place, "the config says so here"))
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    message = _message(loader, work, _zero(loader), amount(found.loaders))
    at = loader.argument_place("num_workers")
    hindered = next(filter(None, map(hindrance, found.loaders)), None)
    if hindered is not None:
        message += "; first fix what keeps workers from starting"
        related.append(hindered)
    elif lacks_main_guard(loader):
        message += f"; on {_SPAWNING} that needs a main guard first"
    if hindered is not None or not is_costly(loader):
        return Finding(Severity.INFO, message, found.place, tuple(related), argument=at)
    fix = None if found.at_caller else _fix(loader, found.loaders)
    return Finding(Severity.WARNING, message, found.place, tuple(related), fix, at)


def _here(work: SampleWork) -> str:
    return (
        "the rows come from here" if work.verb == "decoded" else f"each sample is {work.verb} here"
    )


def _zero(loader: Loader) -> str:
    zero = "`num_workers` is 0"
    if loader.workers.assumed is not None:
        return f"{zero} by the {loader.workers.assumed}"
    return zero if loader.workers.is_decided else f"{zero} by default"


def _message(loader: Loader, work: SampleWork | None, zero: str, how_much: str) -> str:
    waits = "the GPU waits" if loader.reaches_cuda else "the loop waits"
    made = "made each batch and copied it from pageable memory"
    if work is not None:
        made = "made the whole batch"
        zero = f"each sample is {work.verb} by `{work.by}` while {zero}"
    return loader.in_words(
        f"{zero}, so {waits} until the main process has {made}{how_much}; "
        f"set `num_workers` above 0{_beside(loader)}"
    )


def _beside(loader: Loader) -> str:
    """What is advised with workers, as far as the program lacks it."""
    helped = _helped(loader)
    if not helped or not all(map(may_be_asynchronous, helped)):
        return ""
    parts = [] if loader.is_pinned else ["`pin_memory=True`"]
    if not all(copy.never_blocks for copy in helped):
        parts.append("`non_blocking=True` copies")
    return f", with {' and '.join(parts)} beside it" if parts else ""


def _helped(loader: Loader) -> list[Transfer]:
    return [] if loader.made_by_framework else helped_by_pinning(loader)


def _fix(loader: Loader, loaders: list[Loader]) -> Fix | None:
    """Some workers, which live on, and what pays with them: pinned batches, copies that do not
    block; None where a number is written elsewhere, or other code makes the loader."""
    if loader.written("num_workers") is not None or loader.is_configured:
        return None
    given: list[Operation] = [_pinning.give(loader, "num_workers", _START)]
    if loader.made_by_framework:
        return Fix(Applicability.UNSAFE, _title(), tuple(given))
    if loader.workers.assumed is not None:
        return None
    copies = list(dict.fromkeys(t for x in loaders for t in _helped(x)))
    wants_pinning = any(map(_pinning.wants_pinning, loaders)) and _is_free(loader, "pin_memory")
    if wants_pinning:
        given.append(_pinning.give(loader, "pin_memory", _pinning.pinned_where(copies)))
    is_free = _is_free(loader, "persistent_workers")
    if is_free and any(map(rounds, loaders)) and may_last(loader):
        given.append(_pinning.give(loader, "persistent_workers", "True"))
    blocking = [t for t in copies if t.non_blocking is None and may_be_asynchronous(t)]
    title = _title() + (", and pin them" if wants_pinning else "")
    return Fix(Applicability.UNSAFE, title, (*given, *map(operation, blocking)))


def _title() -> str:
    return f"Make the batches in {_START} workers, a number to begin with"


def _is_free(loader: Loader, name: str) -> bool:
    """Whether an argument is not given at all."""
    return all(a.is_absent for a in loader.argument(name))
