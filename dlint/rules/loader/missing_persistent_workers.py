"""missing-persistent-workers: workers that every epoch shuts down and starts anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.start_methods import StartMethod
from dlint.model.data import in_memory
from dlint.model.loading.call_contexts import Placed, placed
from dlint.model.loading.fresh_workers import are_forked_everywhere, has_none_where_shown
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_named_for_evaluation
from dlint.model.loading.trainer_epochs import (
    is_validated_seldom,
    open_trainer_of,
    trainer_of,
)
from dlint.model.loops.epochs import EpochLoop, is_evaluation, is_made_beyond
from dlint.model.loops.evaluated_epochs import is_evaluated_beside_training
from dlint.model.loops.few_batches import takes_few_steps
from dlint.model.samples.stored_edits import may_edit_stored
from dlint.model.workers.worker_hindrance import are_kept_by_notebook
from dlint.model.workers.worker_state import may_keep_state
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import has_few_epochs, keeping_workers
from dlint.rules.loader._lasting_workers import (
    fact_of,
    keeping_of,
    kept_where,
    others_change,
    rounds,
)
from dlint.rules.loader._pinning import give

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with workers that several epochs iterate, without `persistent_workers`."""
    for found in placed(context, _is_wanting, lambda loader: not loader.drops_workers):
        yield _finding(found) if rounds(found.loaders[0]) else _of_trainer(context, found)


def _is_wanting(loader: Loader) -> bool:
    if not loader.drops_workers or not loader.workers.may_be_present or not loader.is_made:
        return False
    if in_memory.is_better_without_workers(loader) or takes_few_steps(loader):
        return False
    goes_on = not others_change(loader) if rounds(loader) else open_trainer_of(loader) is not None
    return goes_on and not may_edit_stored(loader)


def _of_trainer(context: AnalysisContext, found: Placed) -> Finding:
    loader = found.loaders[0]
    trainer = open_trainer_of(loader)
    begun = "the trainer begins the loader anew in each epoch"
    related = [] if trainer is None else [Related(context.place_of(trainer), begun)]
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    is_slow = _is_left_out(loader) and _is_worthwhile(loader) and trainer_of(loader) is not None
    is_slow = is_slow and not (trainer is not None and is_validated_seldom(loader, trainer))
    return Finding(
        Severity.WARNING if is_slow else Severity.INFO,
        _message(loader),
        found.place,
        tuple(related),
        None if found.at_caller or loader.decides_persistence else _fix(found.loaders),
        loader.argument_place("persistent_workers"),
        (fact_of(loader),),
    )


def _finding(found: Placed) -> Finding:
    loader = found.loaders[0]
    epoch = rounds(loader)[0]
    batches = epoch.batch_loop.place
    related = [
        Related(epoch.place, "each round begins the loader anew"),
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
        loader.argument_place("persistent_workers"),
        (fact_of(loader),),
    )


def _severity(loader: Loader, epoch: EpochLoop) -> Severity:
    if are_kept_by_notebook(loader) or all(_is_seldom(loader, one) for one in rounds(loader)):
        return Severity.INFO  # these workers do not even start, or hardly ever anew
    batches = epoch.batch_loop
    trains = loader.trains if batches.hands_on else batches.trains
    evaluates = is_evaluation(batches) or is_named_for_evaluation(loader)
    slow = is_evaluated_beside_training(epoch) if evaluates else trains
    slow = slow and batches.uses_batches and _is_left_out(loader)
    return Severity.WARNING if slow and _is_worthwhile(loader) else Severity.INFO


def _is_left_out(loader: Loader) -> bool:
    """Whether there are workers, and nobody has decided that they shall not be kept."""
    return not loader.decides_persistence and loader.workers.is_known


def _is_seldom(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether a loader that each epoch makes is begun anew within one only where it has ended."""
    return epoch.batch_loop.is_restart and is_made_beyond(loader, epoch)


def _is_worthwhile(loader: Loader) -> bool:
    """Whether restarts may be noticed: not in few epochs, nor of forks that lose nothing."""
    volume = volume_of(loader)
    if has_few_epochs(volume) or has_none_where_shown(loader.context, loader):
        return False
    forked = are_forked_everywhere(loader.context, loader) and not may_keep_state(loader)
    worth = keeping_workers(volume, frozenset({StartMethod.FORK}))
    return not forked or worth.is_noticeable is not False


def _message(loader: Loader) -> str:
    present = loader.workers.present
    assumed = present.assumed if present is not None else None
    count = f" (`num_workers` is above 0 by the {assumed})" if assumed else ""
    if not loader.workers.is_known:
        count = " (where `num_workers` is above 0)"
    others = loader.context[Loaders].by_call().get(loader.call, [loader])
    how = "is off" if loader.decides_persistence else "is not set"
    return (
        f"the workers of this DataLoader are shut down and started anew in each epoch{count}, as "
        f"`persistent_workers` {how}; set {keeping_of(others)} to keep them"
    )


def _fix(loaders: list[Loader]) -> Fix | None:
    """Keep the workers, wherever there are some."""
    value = kept_where(loaders)
    if value is None:
        return None
    keep = give(loaders[0], "persistent_workers", value)
    return Fix(Applicability.UNSAFE, "Keep the workers between epochs", (keep,))
