"""missing-persistent-workers: workers that every epoch shuts down and starts anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, SetArgument, SetKey
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.model import dated_code
from dlint.model.call_contexts import Placed, placed
from dlint.model.epochs import EpochLoop, beyond, is_evaluation, repeating_loops
from dlint.model.roles import is_named_for_evaluation
from dlint.model.versions import Versions
from dlint.rules.loader._dataset_changes import changes_dataset
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with workers that several epochs iterate, without `persistent_workers`."""
    for found in placed(context, _is_wanting, lambda loader: not loader.drops_workers):
        yield _finding(found)


def _is_wanting(loader: Loader) -> bool:
    if not loader.drops_workers or loader.workers.positive is None or not loader.is_made:
        return False
    if loader.is_for_debugging or loader.is_fallback or is_endless(loader):
        return False
    if not loader.context[Versions].torch(loader.place.path).ever("persistent-workers"):
        return False
    return bool(_epochs(loader))


def _epochs(loader: Loader) -> list[EpochLoop]:
    """The loops that run this one loader again and again; those that train first."""
    found = [e for e in repeating_loops(loader) if not e.is_single_by_default(loader.context)]
    if any(epoch.replaces(loader.made) or _changes(loader, epoch) for epoch in found):
        return []
    return sorted(found, key=lambda epoch: is_evaluation(epoch.batch_loop))


def _changes(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether the data set changes from one round to the next, or in loops further out."""
    return any(changes_dataset(loader, one) for one in (epoch, *beyond(loader, epoch)))


def _finding(found: Placed) -> Finding:
    loader = found.loaders[0]
    epoch = _epochs(loader)[0]
    loop = Place(epoch.scope.module.path, *epoch.loop.header)
    batches = epoch.batch_loop.place
    related = [
        Related(loop, "each round begins the loader anew"),
        Related(batches, "the loader is iterated here"),
    ]
    if epoch.batch_loop.is_restart:
        related = [Related(batches, "the loader is begun anew here, whenever it has ended")]
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    return Finding(
        _severity(loader, epoch),
        _message(loader),
        found.place,
        tuple(related),
        None if found.at_caller or loader.decides_persistence else _fix(found.loaders),
    )


def _severity(loader: Loader, epoch: EpochLoop) -> Severity:
    trains = epoch.batch_loop.trains
    if epoch.batch_loop.scope.yields:
        # a generator hands its batches on to loops elsewhere
        trains = loader.trains
    evaluates = is_evaluation(epoch.batch_loop) or is_named_for_evaluation(loader)
    slow = trains and not evaluates and not loader.decides_persistence
    modules = {loader.call.scope.module, *epoch.modules}
    if dated_code.is_too_old(loader.context, "persistent-workers", modules):
        return Severity.INFO
    return Severity.WARNING if slow else Severity.INFO


def _message(loader: Loader) -> str:
    positive = loader.workers.positive
    assumed = positive.assumed if positive is not None else None
    count = f" (`num_workers` is above 0 by the {assumed})" if assumed else ""
    how = "is off" if loader.decides_persistence else "is not set"
    return (
        f"the workers of this DataLoader are shut down and started anew in each epoch{count}, as "
        f"`persistent_workers` {how}; set `persistent_workers=True` to keep them"
    )


def _fix(loaders: list[Loader]) -> Fix | None:
    """Keep the workers, wherever there are some."""
    loader = loaders[0]
    value = _condition(loaders)
    if value is None:
        return None
    mapping = loader.keywords_place
    keep: Operation = SetArgument(loader.place, "persistent_workers", value)
    if mapping is not None:
        keep = SetKey(mapping, "persistent_workers", value)
    return Fix(Applicability.UNSAFE, "Keep the workers between epochs", (keep,))


def _condition(loaders: list[Loader]) -> str | None:
    """When there are workers to keep, as source text: torch refuses to keep none."""
    if all(loader.workers.is_certain for loader in loaders):
        return "True"
    given = loaders[0].written("num_workers")
    name = None if given is None else ex.dotted(given)
    return None if name is None or loaders[0].keywords_place is not None else f"{name} > 0"


def is_endless(loader: Loader) -> bool:
    """Whether data set or sampler is a project class whose `__iter__` goes on forever."""
    classes = loader.context.solver.classes
    for name in ("dataset", "sampler", "batch_sampler"):
        for value in loader.values(name):
            cls = attributes.project_class(value)
            method = None if cls is None else classes.method(cls, "__iter__")
            if method is not None and any(map(_is_forever, walk.statements(method.body))):
                return True
    return False


def _is_forever(statement: object) -> bool:
    if not isinstance(statement, Loop):
        return False
    test = statement.test
    return isinstance(test, ex.Constant) and bool(test.value)
