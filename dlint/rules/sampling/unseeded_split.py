"""unseeded-split: training and validation data that are drawn anew by each rank or run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere, calls_to
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.library_facts import launchers as launching
from dlint.library_facts.concurrency import PROCESSES
from dlint.library_facts.distributed import SHARING_BATCHES
from dlint.library_facts.splits import COPIED, PUBLISHING, RESUMING
from dlint.library_facts.start_methods import LAUNCHERS, Launch
from dlint.model import xla
from dlint.model.distributed import Distributed, asks_for_ranks, tests_of
from dlint.model.entry_points import EntryPoints
from dlint.model.launchers import Launchers
from dlint.model.splits import global_splits, resumptions
from dlint.model.worker_code import parts_of
from dlint.model.workers import launch
from dlint.rules.sampling._redrawn_splits import redrawn

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.splits import Split


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Splits that differ from rank to rank, or from run to run of a training that is resumed."""
    for split in context[global_splits]:
        finding = _by_seed(split) or _by_entry(split)
        if finding is None and split.training is not None and not split.may_be_seeded:
            finding = _by_rank(split, split.training) or _by_run(split, split.training)
        if finding is not None:
            yield finding


def _by_seed(split: Split) -> Finding | None:
    """A seed that differs from rank to rank is set before."""
    seed = split.seed_of_rank
    if seed is None or not (split.splitter.takes_datasets or split.training):
        return None
    message = f"{_draws(split)}, which has another seed on each rank: {_LEAK}; {_advice(split)}"
    related = (Related(split.context.place_of(seed), "each rank gets a seed of its own here"),)
    return Finding(Severity.ERROR, message, split.place, related)


def _by_entry(split: Split) -> Finding | None:
    """Lightning calls `setup` for each entry of its Trainer, whatever was seeded once before."""
    found = redrawn(split)
    if found is None:
        return None
    name = found.later.name
    message = (
        f"{_draws(split)}, and Lightning calls `setup` once for `fit` and again for `{name}`: the "
        f"second split is another one, and `{name}` takes samples that were trained on; "
        f"{_advice(split)}"
    )
    place = split.context.place_of
    related = (
        Related(place(found.fit), "the training draws a first split"),
        Related(place(found.later), "this draws another"),
    )
    return Finding(Severity.ERROR, message, split.place, related)


def _by_rank(split: Split, loader: Loader) -> Finding | None:
    """Nobody seeds, and each rank draws for itself."""
    started = _ranks(split, loader)
    if started is None or any(calls_anywhere(split.context, *SHARING_BATCHES)):
        return None
    if any(asks_for_ranks(c.test) for c in tests_of(split.context, split.call)):
        return None
    message = f"{_draws(split)}, which nobody seeds: {_LEAK}; {_advice(split)}"
    related = (
        Related(split.context.place_of(started), "several ranks train on one part"),
        Related(loader.place, "the loader of this part"),
    )
    return Finding(Severity.ERROR, message, split.place, related)


def _by_run(split: Split, loader: Loader) -> Finding | None:
    """Nobody seeds, and a training is resumed with another split."""
    resumed = _resumption(split, loader)
    if resumed is None or not split.is_each_time or _is_kept(split):
        return None
    message = (
        f"{_draws(split)}, which nobody seeds, and this training is resumed from checkpoints: each "
        "run splits anew, and validates on samples that the runs before trained on; "
        f"{_advice(split)}"
    )
    related = (Related(split.context.place_of(resumed), "the training goes on here"),)
    return Finding(Severity.WARNING, message, split.place, related)


_LEAK = "ranks split differently, and train on samples that others validate on"


def _draws(split: Split) -> str:
    library = "torch" if split.splitter.library == "torch" else "NumPy"
    return f"`{split.call.name}` draws from {library}'s global generator"


def _advice(split: Split) -> str:
    return split.splitter.advice


def _ranks(split: Split, loader: Loader) -> ex.Call | None:
    """What makes the ranks that each draw the split themselves; None where they may share one."""
    for launcher in split.context[Launchers].of(loader):
        copied = any(word in (launcher.strategy or "").lower() for word in COPIED)
        if launcher.is_distributed and not copied:
            return launcher.call
    replica = next(split.context[Distributed].replicas(loader), None)
    return None if replica is None or not _is_drawn_by_ranks(split) else replica.wrap


def _is_drawn_by_ranks(split: Split) -> bool:
    """Whether each process draws: after it was started, or the script is started for each."""
    context, scope = split.context, split.call.scope
    if xla.launch_of(context, scope) is not None:
        return True
    if any(calls_to(context, *launching.XLA_SPAWN)):
        return False
    launched = launch(context, [scope])
    if launched is Launch.NEVER:
        return not any(calls_to(context, *LAUNCHERS, *PROCESSES))
    return launched is Launch.ALWAYS


def _resumption(split: Split, loader: Loader) -> ex.Call | None:
    """The call by which the training on one part is resumed."""
    context = split.context
    for launcher in context[Launchers].of(loader):
        if launcher.resumes(*RESUMING):
            return launcher.handing
    for call in context[resumptions]:
        if call.scope.module is split.call.scope.module:
            return call
        if context[EntryPoints].script_for((split.place, context.place_of(call))) is not None:
            return call
    return None


def _is_kept(split: Split) -> bool:
    """Whether the module may keep which samples a part holds: it reads `part.indices`."""
    return any(
        isinstance(part, ex.Attribute) and part.name in PUBLISHING
        for scope in split.call.scope.module.scopes
        for part in parts_of(scope)
    )
