"""missing-set-epoch: a distributed sampler that replays one order in every epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import InsertFirstInLoop
from dlint.findings.places import Place
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.engine_loaders import EngineLoader, engine_loaders
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.roles import only_evaluates
from dlint.model.loops.batch_loops import EVALUATION
from dlint.model.loops.epochs import EpochLoop, counts, statement_name
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.model.samplers.named_samplers import named_sampler
from dlint.model.samplers.skipped_epochs import Skipped, skipped
from dlint.model.samples.sample_order import ignores_indices

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.samplers.distributed_samplers import Sampler


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Shuffling distributed samplers, iterated for several epochs, whose epoch nobody sets."""
    handled = {s.place for s in context[distributed_samplers] if s.epochs and s.is_handled}
    reported: set[Place] = set()
    for sampler in context[distributed_samplers]:
        if sampler.place in reported | handled or not sampler.shuffles or sampler.has_own_order:
            continue
        epochs = (*sampler.epochs, *sampler.renewing_epochs)
        wanting = [pair for pair in epochs if _is_wanting(sampler, *pair)]
        runs = sampler.runs
        if (wanting or runs) and not sampler.is_handled:
            reported.add(sampler.place)
            wanting.sort(key=lambda pair: pair[1].is_single_by_default(context))
            yield _finding(sampler, *wanting[0]) if wanting else _run_finding(sampler)
    yield from _skipped(context)
    for engine in engine_loaders(context):
        if not engine.is_handled:
            yield _engine_finding(engine)


def _skipped(context: AnalysisContext) -> Iterator[Finding]:
    """Samplers whose epoch is set only where a test holds, once for each place."""
    found: dict[Place, tuple[Sampler, Skipped]] = {}
    for sampler in context[distributed_samplers]:
        wanting = any(_is_wanting(sampler, *pair) for pair in sampler.epochs)
        skip = skipped(sampler) if wanting and sampler.shuffles else None
        if skip is not None and not sampler.has_own_order:
            found.setdefault(sampler.place, (sampler, skip))
    for sampler, skip in found.values():
        yield _skipped_finding(sampler, skip)


def _skipped_finding(sampler: Sampler, skip: Skipped) -> Finding:
    message = (
        f"`set_epoch` is called only where `{skip.test}` holds, but this DistributedSampler is "
        "made in any case, so a run in which that is False sees the samples in the same order in "
        "every epoch; call `set_epoch(epoch)` in every run"
    )
    related = (Related(skip.place, "the epoch is set here"),)
    return Finding(Severity.WARNING, message, sampler.place, related)


def _is_wanting(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> bool:
    if sampler.context[Consumption].takes_over(loader.made, Duty.SETS_EPOCH) is not None:
        return False
    if EVALUATION.search(sampler.name) or only_evaluates(loader):
        return False
    return not (sampler.is_made_in(epoch) or ignores_indices(loader))


def _message(sampler: Sampler, single: str | None) -> str:
    shuffling, more = sampler.shuffles_by, ""
    if shuffling is not None:
        shuffling = f" (`shuffle` is on by the {shuffling})"
    if single is not None:
        more = f", once there are more than the one by the {single}"
    return (
        f"nothing calls `set_epoch` on this DistributedSampler{shuffling or ''}, so every epoch "
        f"sees the samples in the same order{more}; call `set_epoch(epoch)` before each epoch "
        "iterates the loader"
    )


def _finding(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> Finding:
    context = sampler.context
    loop = Place(epoch.scope.module.path, *epoch.loop.header)
    single = epoch.single_by(context)
    return Finding(
        Severity.ERROR if single is None else Severity.INFO,
        _message(sampler, single),
        sampler.place,
        (
            Related(loop, "the epochs are counted here"),
            Related(loader.place, "the loader takes its order from the sampler"),
            Related(epoch.batch_loop.place, "the loader is iterated here"),
        ),
        _fix(sampler, loader, epoch),
    )


def _run_finding(sampler: Sampler) -> Finding:
    """A framework runs the epochs and leaves the sampler alone."""
    loader, call = sampler.runs[0]
    run = sampler.context.place_of(call)
    related = (
        Related(run, "the epochs are run here, without `set_epoch`"),
        Related(loader.place, "the loader takes its order from the sampler"),
    )
    return Finding(Severity.ERROR, _message(sampler, None), sampler.place, related)


def _engine_finding(engine: EngineLoader) -> Finding:
    """An engine's own loader and sampler."""
    return Finding(
        Severity.ERROR,
        "the loader made here has a DistributedSampler whose epoch nothing sets, so every epoch "
        "sees the samples in the same order; call `set_epoch(epoch)` on its `data_sampler` first "
        "in each epoch",
        engine.place,
        (
            Related(engine.epochs.place, "the epochs are counted here"),
            Related(engine.batches.place, "the loader is iterated here"),
        ),
    )


def _fix(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> Fix | None:
    """Set the epoch first in the epoch loop, where its counter and the sampler have names."""
    counter = statement_name(epoch.loop)
    if not counter or not counts(epoch.loop):
        return None
    target = named_sampler(sampler, loader, epoch)
    if target is None:
        return None
    place = Place(epoch.scope.module.path, *epoch.loop.span)
    text = target.guard.format(target.name) + f"{target.name}.set_epoch({counter})"
    return Fix(Applicability.UNSAFE, "Set the sampler's epoch", (InsertFirstInLoop(place, text),))
