"""cuda-in-worker: code of worker processes that puts tensors on CUDA, or is given some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.pickling import HOOKS
from dlint.library_facts.start_methods import StartMethod
from dlint.model.data.datasets import dataset_classes
from dlint.model.workers import device_code
from dlint.model.workers.starting import start_methods_of
from dlint.model.workers.worker_code import WorkerCode
from dlint.model.workers.worker_counts import WorkingLoader

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry

_HELD = "workers get it although they do not use it"
_PUTS = "puts tensors on CUDA"
_INSTEAD = "give CPU tensors to the loader, and copy each batch in the loop that uses it"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls that need CUDA in workers, and tensors on CUDA that workers take samples from.

    A function is told once that it does so.
    """
    places: set[Place] = set()
    seen: set[tuple[Place, str]] = set()
    for fault in _faults(context):
        if fault.place not in places and (fault.function, fault.wrong) not in seen:
            yield _finding(context, fault)
        places.add(fault.place)
        seen.add((fault.function, fault.wrong))


class _Fault(NamedTuple):
    """What is wrong, where it is told, in which function, and a loader with workers for it."""

    place: Place
    function: Place
    working: WorkingLoader
    wrong: str
    read: Place | None = None


def _faults(context: AnalysisContext) -> Iterator[_Fault]:
    for call in device_code.device_calls(context):
        working = call.entry.working
        if working is not None:
            does = "pins tensors by CUDA" if call.is_pinning else _PUTS
            wrong = f"{_named(call.entry)} runs in workers and {does}"
            yield _Fault(call.place, call.function, working, wrong)
    for dataset in context[dataset_classes]:
        yield from _kept(context, dataset)
    for given in device_code.given_on_cuda(context):
        count = given.loader.workers_present
        if count is not None:
            held = "the `TensorDataset` holds tensors on CUDA, and workers take samples of them"
            working = WorkingLoader(given.loader, count)
            yield _Fault(given.place, given.function, working, held)


def _kept(context: AnalysisContext, dataset: DatasetClass) -> Iterator[_Fault]:
    """What a data set keeps on CUDA, and workers use or are sent."""
    entries = context[WorkerCode].of_class(dataset.cls)
    working = next((e.working for e in entries if e.working is not None), None)
    for kept in device_code.kept_on_cuda(dataset) if working is not None else ():
        what = f"`{dataset.name}` keeps `self.{kept.attribute}` on CUDA"
        taker = kept.taker or working
        if taker is not None and (kept.read or _is_sent(dataset, taker.loader)):
            uses = "workers use it" if kept.read else _HELD
            yield _Fault(kept.place, kept.function, taker, f"{what}, and {uses}", kept.read)
    for cls, kept in device_code.held_on_cuda(dataset) if working is not None else ():
        what = f"`{cls.name}` keeps `self.{kept.attribute}` on CUDA, and workers use it"
        if working is not None:
            yield _Fault(kept.place, kept.function, working, what, kept.read)


def _is_sent(dataset: DatasetClass, loader: Loader) -> bool:
    """Whether workers that certainly start get an object with all that its constructor keeps."""
    return loader.is_iterated and not dataset.defines(*HOOKS)


def _named(entry: Entry) -> str:
    if entry.cls is not None and entry.role.startswith("__"):
        return f"`{entry.cls.name}.{entry.role}`"
    return f"the `{entry.role}`"


def _finding(context: AnalysisContext, fault: _Fault) -> Finding:
    loader, wrong = fault.working.loader, fault.wrong
    forks = StartMethod.FORK in start_methods_of(context, loader)
    why = (
        "a forked worker raises `RuntimeError: Cannot re-initialize CUDA in forked subprocess` "
        "once the main process has used CUDA"
        if forks
        else "each worker opens its own CUDA context, and torch advises against sending CUDA "
        "tensors between processes"
    )
    severity = Severity.ERROR if forks else Severity.WARNING
    if wrong.endswith(_HELD) and forks:
        severity = Severity.INFO
        why = "what touches it there raises `RuntimeError: Cannot re-initialize CUDA`"
    return Finding(
        severity,
        f"{wrong} ({fault.working.text}): {why}; {_INSTEAD}",
        fault.place,
        (
            *([] if fault.read is None else [Related(fault.read, "workers use it here")]),
            Related(loader.place, "this loader starts the workers"),
        ),
    )
