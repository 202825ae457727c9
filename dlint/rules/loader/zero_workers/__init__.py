"""zero-workers: samples that take work, made by the training process itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model import samples
from dlint.model.call_contexts import Placed, placed
from dlint.model.config_settings import origins, settings, stated_in_shell
from dlint.model.copies import helped_by_pinning, may_be_asynchronous
from dlint.model.roles import is_only_tried, is_self_test
from dlint.model.timing import waits_for_person
from dlint.rules.loader.zero_workers.sample_work import SampleWork, is_iterable, sample_work

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_CONFIGURED = (
    "with `{key}` at 0 the main process makes every batch itself, and whoever asks for "
    "one waits; where samples are read or decoded, measure `{key}` above 0"
)
_COPIES = "with `pin_memory=True` and `non_blocking=True` copies beside it"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders without workers whose samples are read, decoded or transformed one by one."""
    for found in placed(context, _is_wanting, lambda loader: not loader.workers.is_zero):
        work = sample_work(found.loaders[0])
        if work is not None:
            yield _finding(found, work)
    yield from _in_shell(context)
    for place, key in settings(context, "num_workers", 0):
        yield Finding(Severity.INFO, _CONFIGURED.format(key=key), place)


def _in_shell(context: AnalysisContext) -> Iterator[Finding]:
    """Where a shell script takes the workers from loaders that could use them, each place once."""
    for place, key, loaders in stated_in_shell(context, "num_workers", 0):
        wanting = (x for x in loaders if not x.workers.is_zero and _would_want(x))
        loader = None if "debug" in place.path.rpartition("/")[2] else next(wanting, None)
        work = None if loader is None else sample_work(loader)
        if loader is not None and work is not None:
            message = _message(loader, work, f"`{key}` is 0 here")
            related = Related(loader.place, "the loader is made here")
            yield Finding(Severity.INFO, message, place, (related,))


def _is_wanting(loader: Loader) -> bool:
    return loader.workers.is_zero and _would_want(loader)


def _would_want(loader: Loader) -> bool:
    """Whether a loader without workers could use some."""
    if not loader.is_iterated or not loader.is_made:
        return False
    if loader.is_for_debugging or loader.is_threaded:
        return False
    if samples.yields_cuda(loader) or is_iterable(loader):
        return False
    if is_self_test(loader) or is_only_tried(loader) or waits_for_person(loader.loops):
        return False
    return sample_work(loader) is not None


def _finding(found: Placed, work: SampleWork) -> Finding:
    loader = found.loaders[0]
    related = []
    if work.place is not None:
        related.append(Related(work.place, _here(work)))
    for place in origins(loader.context, loader.workers.alternatives)[:3]:
        related.append(Related(place, "the config says so here"))
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    message = _message(loader, work, _zero(loader))
    return Finding(_severity(loader, work), message, found.place, tuple(related))


def _here(work: SampleWork) -> str:
    return (
        "the rows come from here" if work.verb == "decoded" else f"each sample is {work.verb} here"
    )


def _severity(loader: Loader, work: SampleWork) -> Severity:
    """A proven cost in a training loop on the GPU; a literal 0 is a decision."""
    slow = work.is_heavy and loader.trains and loader.reaches_cuda
    return Severity.WARNING if slow and not loader.workers.is_decided else Severity.INFO


def _zero(loader: Loader) -> str:
    zero = "`num_workers` is 0"
    if loader.workers.assumed is not None:
        return f"{zero} by the {loader.workers.assumed}"
    return zero if loader.workers.is_decided else f"{zero} by default"


def _message(loader: Loader, work: SampleWork, zero: str) -> str:
    waits = "the GPU waits" if loader.reaches_cuda else "the loop waits"
    helped = not loader.made_by_framework and helped_by_pinning(loader)
    advice = f", {_COPIES}" if helped and all(map(may_be_asynchronous, helped)) else ""
    return loader.in_words(
        f"each sample is {work.verb} by `{work.by}` while {zero}, so {waits} until the main "
        f"process has made the whole batch; set `num_workers` above 0{advice}"
    )
