"""zero-workers: batches that the training process makes itself, while nobody else works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.model import in_memory, samples
from dlint.model.call_contexts import Placed, placed
from dlint.model.config_settings import origins, settings, stated_in_shell
from dlint.model.copies import helped_by_pinning, may_be_asynchronous, operation
from dlint.model.few_batches import takes_few_steps
from dlint.model.roles import is_only_tried, is_self_test
from dlint.model.sample_work import SampleWork, asks_cache, is_iterable, sample_work
from dlint.model.timing import waits_for_person
from dlint.model.volume import volume_of
from dlint.model.worth import amount, making_samples
from dlint.rules.loader import _pinning
from dlint.rules.loader._lasting_workers import rounds
from dlint.semantics.values.conditional_value import ABSENT

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.transfers import Transfer

_CONFIGURED = (
    "with `{key}` at 0 the main process makes every batch itself, and whoever asks for "
    "one waits; where samples are read or decoded, measure `{key}` above 0"
)
_COPIES = "with `pin_memory=True` and `non_blocking=True` copies beside it"
_START = "4"
"""A number of workers to begin with: what pays depends on the machine, and is to be measured."""


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders without workers whose samples take work, or whose batches go to a GPU."""
    for found in placed(context, _is_wanting, lambda loader: not loader.workers.is_zero):
        yield _finding(found)
    yield from _in_shell(context)
    for place, key in settings(context, "num_workers", 0):
        yield Finding(Severity.INFO, _CONFIGURED.format(key=key), place)


def _in_shell(context: AnalysisContext) -> Iterator[Finding]:
    """Where a shell script takes the workers from loaders that could use them, each place once."""
    for place, key, loaders in stated_in_shell(context, "num_workers", 0):
        wanting = (x for x in loaders if not x.workers.is_zero and _may_have_some(x))
        loader = None if "debug" in place.path.rpartition("/")[2] else next(wanting, None)
        work = None if loader is None else sample_work(loader)
        if loader is not None and work is not None:
            message = _message(loader, work, f"`{key}` is 0 here", amount([loader]))
            related = Related(loader.place, "the loader is made here")
            yield Finding(Severity.INFO, message, place, (related,))


def _is_wanting(loader: Loader) -> bool:
    """Whether workers would do what the training process does: for samples, or for copies."""
    if not loader.workers.is_zero or not _may_have_some(loader):
        return False
    return sample_work(loader) is not None or _is_fed_plainly(loader)


def _may_have_some(loader: Loader) -> bool:
    """Whether a loader could use workers: its samples are taken by index, and several of them."""
    if not loader.is_iterated or not loader.is_made or takes_few_steps(loader):
        return False
    if loader.is_for_debugging or loader.is_threaded:
        return False
    if samples.yields_cuda(loader) or is_iterable(loader):
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


def _finding(found: Placed) -> Finding:
    loader = next((x for x in found.loaders if _is_costly(x)), found.loaders[0])
    work = sample_work(loader)
    related = []
    if work is not None and work.place is not None:
        related.append(Related(work.place, _here(work)))
    for copy in helped_by_pinning(loader)[:3] if work is None else ():
        place = loader.context.place_of(copy.call)
        related.append(Related(place, "the batch is copied to the device here"))
    for place in origins(loader.context, loader.workers.alternatives)[:3]:
        related.append(Related(place, "the config says so here"))
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    message = _message(loader, work, _zero(loader), amount(found.loaders))
    if not _is_costly(loader):
        return Finding(Severity.INFO, message, found.place, tuple(related))
    fix = None if found.at_caller else _fix(loader, found.loaders)
    return Finding(Severity.WARNING, message, found.place, tuple(related), fix)


def _here(work: SampleWork) -> str:
    return (
        "the rows come from here" if work.verb == "decoded" else f"each sample is {work.verb} here"
    )


def _is_costly(loader: Loader) -> bool:
    """A cost in a training loop on the GPU that is not known to be small; a literal 0 is a
    decision."""
    if loader.workers.is_decided or not loader.trains:
        return False
    if making_samples(volume_of(loader)).is_noticeable is False:
        return False
    work = sample_work(loader)
    if work is not None:
        return work.is_heavy and loader.reaches_cuda
    copies = helped_by_pinning(loader)
    return _is_fed_plainly(loader) and _pinning.severity(loader, copies) is Severity.WARNING


def _zero(loader: Loader) -> str:
    zero = "`num_workers` is 0"
    if loader.workers.assumed is not None:
        return f"{zero} by the {loader.workers.assumed}"
    return zero if loader.workers.is_decided else f"{zero} by default"


def _message(loader: Loader, work: SampleWork | None, zero: str, how_much: str) -> str:
    waits = "the GPU waits" if loader.reaches_cuda else "the loop waits"
    helped = _helped(loader)
    advice = f", {_COPIES}" if helped and all(map(may_be_asynchronous, helped)) else ""
    made = "made each batch and copied it from pageable memory"
    if work is not None:
        made = "made the whole batch"
        zero = f"each sample is {work.verb} by `{work.by}` while {zero}"
    return loader.in_words(
        f"{zero}, so {waits} until the main process has {made}{how_much}; "
        f"set `num_workers` above 0{advice}"
    )


def _helped(loader: Loader) -> list[Transfer]:
    return [] if loader.made_by_framework else helped_by_pinning(loader)


def _fix(loader: Loader, loaders: list[Loader]) -> Fix | None:
    """Some workers, which live on, and what pays with them: pinned batches, copies that do not
    block; None where a number is written elsewhere, or other code makes the loader."""
    if loader.written("num_workers") is not None or loader.is_configured:
        return None
    if loader.made_by_framework or loader.workers.assumed is not None:
        return None
    given = [_pinning.give(loader, "num_workers", _START)]
    copies = list(dict.fromkeys(t for x in loaders for t in _helped(x)))
    wants_pinning = any(map(_pinning.wants_pinning, loaders)) and _is_free(loader, "pin_memory")
    if wants_pinning:
        given.append(_pinning.give(loader, "pin_memory", _pinning.pinned_where(copies)))
    if _is_free(loader, "persistent_workers") and any(map(rounds, loaders)):
        given.append(_pinning.give(loader, "persistent_workers", "True"))
    blocking = [t for t in copies if t.non_blocking is None and may_be_asynchronous(t)]
    title = f"Make the batches in {_START} workers, a number to begin with"
    if wants_pinning:
        title += ", and pin them"
    return Fix(Applicability.UNSAFE, title, (*given, *map(operation, blocking)))


def _is_free(loader: Loader, name: str) -> bool:
    """Whether an argument is not given at all."""
    return all(a.value == ABSENT for a in loader.argument(name))
