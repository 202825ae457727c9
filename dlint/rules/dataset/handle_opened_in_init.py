"""handle-opened-in-init: files and databases that workers get from the process that opened them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.object_state.sample_access import TAKES
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.start_methods import FRESH, StartMethod
from dlint.model import handles
from dlint.model.datasets import DatasetClass, dataset_classes
from dlint.model.held_objects import called_objects, held_objects
from dlint.model.worker_code import WorkerCode
from dlint.model.workers import start_methods_of
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.handles import KeptHandle
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry

_PICKLED = ("__getstate__", "__reduce__", "__reduce_ex__")


def check(context: AnalysisContext) -> Iterator[Finding]:
    """What constructors leave open of what worker code uses, once for each place."""
    seen: set[object] = set()
    for keeper in _keepers(context):
        loaders = [loader for loader in keeper.of.own_loaders if not loader.workers_absent]
        for kept in handles.kept_handles(keeper.of) if loaders else ():
            told = {kept.place, (keeper.of.cls, kept.opened)}
            if not seen.isdisjoint(keeper.names(kept)) or not _is_used(keeper, kept):
                continue
            sharing = [x for x in loaders if not _reopens(keeper.of, x, kept.attribute)]
            finding = _finding(keeper, kept, sharing) if sharing else None
            if finding is not None:
                seen |= told
                yield finding


class _Keeper(NamedTuple):
    """A data set, or an object that the data set `holder` was given, and its worker code.

    `through` are the classes of the objects that are pickled with it. An object that is a collate
    function or a transform has no holder.
    """

    of: DatasetClass
    entries: Sequence[Entry]
    holder: DatasetClass | None = None
    through: tuple[Class, ...] = ()

    def names(self, kept: KeptHandle) -> set[object]:
        """By what a handle was told already: its place, or as one that its holder keeps."""
        return {kept.place, self.holder and (self.holder.cls, kept.opened)}

    @property
    def is_dataset(self) -> bool:
        """Whether workers take samples from it."""
        return self.holder is None and any(entry.role in TAKES for entry in self.entries)


def _keepers(context: AnalysisContext) -> Iterator[_Keeper]:
    for dataset in context[dataset_classes]:
        yield _Keeper(dataset, context[WorkerCode].of_class(dataset.cls))
        if any(not loader.workers_absent for loader in dataset.own_loaders):
            for held in held_objects(dataset):
                yield _Keeper(dataset.with_class(held.cls), held.entries, dataset, held.through)
    for entry in called_objects(context):
        if entry.cls is not None:
            loaders = tuple(entry.loaders)
            yield _Keeper(DatasetClass(context, entry.cls, loaders, loaders), (entry,))


def _is_used(keeper: _Keeper, kept: KeptHandle) -> bool:
    """Whether workers read the handle, and never open one of their own."""
    used = any(handles.reads_through(entry, kept) for entry in keeper.entries)
    return used and not any(handles.opens_own(entry, kept.attribute) for entry in keeper.entries)


def _reopens(dataset: DatasetClass, loader: Loader, attribute: str) -> bool:
    """Whether each worker opens its own handle when it starts, as far as can be known."""
    entries = dataset.context[WorkerCode].initialising(loader)
    if not entries:
        return not loader.values("worker_init_fn") <= {NONE}
    return any(handles.reopens(entry, dataset.cls, attribute) for entry in entries)


def _finding(keeper: _Keeper, kept: KeptHandle, loaders: list[Loader]) -> Finding | None:
    context = keeper.of.context
    methods = {m for x in loaders for m in start_methods_of(context, x)}
    forks = StartMethod.FORK in methods
    sent = (keeper.of.cls, *keeper.through)
    pickles = not kept.handle.is_picklable and not any(
        context.solver.classes.method(cls, n) for cls in sent for n in _PICKLED
    )
    if not pickles and not (forks and kept.handle.breaks_forked):
        return None
    known = any(x.workers_present is not None for x in loaders)
    wrong = kept.handle.breaks_forked if forks else True
    severity = Severity.ERROR if known and wrong else Severity.WARNING
    related = [Related(loaders[0].place, "the workers of this loader use it")]
    if kept.opened != kept.place:
        related.insert(0, Related(kept.opened, "it is opened here"))
    return Finding(
        Severity.INFO if kept.is_off else severity,
        _message(keeper, kept, methods, pickles=pickles),
        kept.place,
        tuple(related),
    )


def _message(keeper: _Keeper, kept: KeptHandle, methods: set[StartMethod], *, pickles: bool) -> str:
    why = []
    if StartMethod.FORK in methods:
        why.append(f"forked workers {kept.handle.forked}")
    if pickles:
        fresh = " or ".join(sorted(methods & FRESH)) or "spawn (macOS, Windows)"
        why.append(f"with {fresh} it cannot be pickled")
    holder = keeper.holder
    whose = "workers use" if holder is None else f"the workers of `{holder.cls.name}` use"
    whose = "its workers use" if keeper.is_dataset else whose
    first = "`__getitem__`" if keeper.is_dataset else "use"
    return (
        f"`{kept.owner.name}` keeps {kept.handle.what} from `__init__` on in "
        f"`self.{kept.attribute}`, and {whose} it: {', and '.join(why)}; "
        f"{_advice(keeper, kept, first)}"
    )


def _advice(keeper: _Keeper, kept: KeptHandle, first: str) -> str:
    """Where samples are the next lines of a file, a file for each worker is not enough."""
    if any(handles.reads_on(entry, kept.attribute) for entry in keeper.entries):
        return "open it in the worker, and `seek` there to the sample of the index"
    return f"open it in the worker, at the first {first}"
