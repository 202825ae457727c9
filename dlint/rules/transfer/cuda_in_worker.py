"""cuda-in-worker: code of worker processes that puts tensors on CUDA, or is given some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.pickling import HOOKS
from dlint.library_facts.start_methods import StartMethod
from dlint.model import device_code
from dlint.model.datasets import dataset_classes
from dlint.model.worker_code import WorkerCode
from dlint.model.worker_counts import text_of
from dlint.model.workers import start_methods_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir import expressions as ex
    from dlint.ir.module import Scope
    from dlint.model.datasets import DatasetClass
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry
    from dlint.semantics.values.conditional_value import ConditionalValue

_HELD = "workers get it although they do not use it"
_PUTS = "puts tensors on CUDA"
_INSTEAD = "give CPU tensors to the loader, and copy each batch in the loop that uses it"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls that need CUDA in workers, and tensors on CUDA that workers take samples from.

    A function is told once that it does so.
    """
    places: set[Place] = set()
    seen: set[tuple[Scope, str]] = set()
    for call, place, working, wrong in _wrong(context):
        if place not in places and (call.scope, wrong) not in seen:
            yield _finding(context, place, working, wrong)
        places.add(place)
        seen.add((call.scope, wrong))


def _wrong(
    context: AnalysisContext,
) -> Iterator[tuple[ex.Call, Place, tuple[Loader, ConditionalValue], str]]:
    """The calls, where they are told, a loader with workers for each, and what is said of it."""
    for call, entry in device_code.device_calls(context):
        if entry.working is not None:
            does = "pins tensors by CUDA" if call.name == device_code.PINNING else _PUTS
            wrong = f"{_named(entry)} runs in workers and {does}"
            yield call, context.place_of(call), entry.working, wrong
    for dataset in context[dataset_classes]:
        entries = context[WorkerCode].of_class(dataset.cls)
        working = next((e.working for e in entries if e.working is not None), None)
        for kept in device_code.kept_on_cuda(dataset) if working else ():
            what = f"`{dataset.cls.name}` keeps `self.{kept.attribute}` on CUDA"
            if working is not None and (kept.is_read or _is_sent(context, dataset, working[0])):
                uses = "workers use it" if kept.is_read else _HELD
                yield kept.call, kept.place, working, f"{what}, and {uses}"
    for call, loader in device_code.given_on_cuda(context):
        if loader.workers_present is not None:
            held = "the `TensorDataset` holds tensors on CUDA, and workers take samples of them"
            yield call, context.place_of(call), (loader, loader.workers_present), held


def _is_sent(context: AnalysisContext, dataset: DatasetClass, loader: Loader) -> bool:
    """Whether workers that certainly start get an object with all that its constructor keeps."""
    classes = context.solver.classes
    hooked = any(classes.method(dataset.cls, name) for name in HOOKS)
    return loader.is_iterated and not hooked


def _named(entry: Entry) -> str:
    if entry.cls is not None and entry.role.startswith("__"):
        return f"`{entry.cls.name}.{entry.role}`"
    return f"the `{entry.role}`"


def _finding(
    context: AnalysisContext, place: Place, working: tuple[Loader, ConditionalValue], wrong: str
) -> Finding:
    loader, count = working
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
        f"{wrong} ({text_of(count)}): {why}; {_INSTEAD}",
        place,
        (Related(loader.place, "this loader starts the workers"),),
    )
