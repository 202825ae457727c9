"""unseeded-split: training and validation data that are drawn anew by each rank or run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.distributed import SHARING_BATCHES
from dlint.library_facts.seeding import LIBRARY
from dlint.model.data.redrawn_splits import redrawn
from dlint.model.data.resampled_splits import is_resampled
from dlint.model.data.split_ranks import drawing_ranks, is_kept, resumption
from dlint.model.data.splits import global_splits
from dlint.model.data.unseeded_programs import is_drawn_by_each_run
from dlint.model.ranks.distributed import asks_for_ranks, tests_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.splits import Split
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Splits that differ from rank to rank, or from run to run of a training that is resumed."""
    for split in context[global_splits]:
        finding = _by_seed(split) or _by_entry(split)
        if finding is None and split.training is not None and not split.may_be_seeded:
            finding = _by_rank(split, split.training) or _by_run(split, split.training)
        if finding is None and split.training is not None:
            finding = _by_chance(split, split.training)
        finding = finding or _by_trainer(split)
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
    name = found.entry
    message = (
        f"{_draws(split)}, and Lightning calls `setup` once for `fit` and again for `{name}`: the "
        f"second split is another one, and `{name}` takes samples that were trained on; "
        f"{_advice(split)}"
    )
    related = (
        Related(found.fit, "the training draws a first split"),
        Related(found.later, "this draws another"),
    )
    return Finding(Severity.ERROR, message, split.place, related)


def _by_rank(split: Split, loader: Loader) -> Finding | None:
    """Nobody seeds, and each rank draws for itself."""
    started = drawing_ranks(split, loader)
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
    resumed = resumption(split, loader)
    if resumed is None or not split.is_each_time or is_kept(split):
        return None
    message = (
        f"{_draws(split)}, which nobody seeds, and this training is resumed from checkpoints: each "
        "run splits anew, and validates on samples that the runs before trained on; "
        f"{_advice(split)}"
    )
    related = (Related(split.context.place_of(resumed), "the training goes on here"),)
    return Finding(Severity.WARNING, message, split.place, related)


def _by_chance(split: Split, loader: Loader) -> Finding | None:
    """Nobody seeds, so that the scores of two runs are of different samples."""
    if split.held_out is None or not is_drawn_by_each_run(split) or is_resampled(split):
        return None
    message = (
        f"{_draws(split)}, which nobody seeds: each run holds out other samples, so scores of two "
        "runs cannot be compared, and a model that is loaded again was trained on some of what is "
        f"held out then; {_advice(split)}"
    )
    related = (
        Related(loader.place, "the loader of the part that is trained on"),
        Related(split.held_out.place, "the loader of a part that is held out"),
    )
    return Finding(Severity.INFO, message, split.place, related)


def _by_trainer(split: Split) -> Finding | None:
    """The same of a trainer of transformers: each of its processes splits for itself, too."""
    trainer = split.trainer
    if trainer is None or not is_drawn_by_each_run(split) or is_resampled(split):
        return None
    message = (
        f"{_draws(split)}, which nobody seeds before: each run, and each process of a run, holds "
        "out other samples, so scores of two runs cannot be compared, and processes train on "
        f"samples that others evaluate; {_advice(split)}"
    )
    related = (Related(split.context.place_of(trainer), "this trainer is given both parts"),)
    return Finding(Severity.INFO, message, split.place, related)


_LEAK = "ranks split differently, and train on samples that others validate on"


def _draws(split: Split) -> str:
    library = LIBRARY[split.splitter.library]
    return f"`{split.call.name}` draws from {library}'s global generator"


def _advice(split: Split) -> str:
    return split.splitter.advice
