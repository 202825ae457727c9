"""rng-in-dataset-init: generators that every worker gets a copy of, in one and the same state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loaders import Loaders
from dlint.model.worker_code import WorkerCode
from dlint.model.worker_counts import text_of
from dlint.rules.dataset.rng_in_dataset_init import generators
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.rules.dataset.rng_in_dataset_init.generators import KeptGenerator


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Generators made in constructors that worker code draws from, once for each."""
    for kept in generators.kept_generators(context):
        loaders = [x for x in _loaders(context, kept) if _matters(context, kept, x)]
        loader = max(loaders, key=lambda x: x.workers.several is not None, default=None)
        if loader is not None:
            known = loader.workers.several is not None
            yield Finding(
                Severity.ERROR if known else Severity.INFO,
                _message(kept, loader),
                context.place_of(kept.call),
                (Related(loader.place, "the workers of this loader draw from it"),),
            )


def _loaders(context: AnalysisContext, kept: KeptGenerator) -> list[Loader]:
    """The loaders whose workers use the generator."""
    return list(
        dict.fromkeys(
            loader
            for entry in context[WorkerCode].entries
            if any(not x.workers_absent for x in entry.loaders)
            and generators.draws(context, entry, kept)
            for loader in entry.loaders
        )
    )


def _matters(context: AnalysisContext, kept: KeptGenerator, loader: Loader) -> bool:
    """Whether its workers draw the same numbers, and nobody may want that."""
    if loader.workers_absent or _is_alone(loader):
        return False
    if _only_evaluates(context, loader):
        return False
    initialising = context[WorkerCode].initialising(loader)
    if not initialising:
        return loader.values("worker_init_fn") <= {NONE}
    return not any(generators.is_seeded_by(entry, kept.attribute) for entry in initialising)


def _only_evaluates(context: AnalysisContext, loader: Loader) -> bool:
    """Whether evaluation is all that is seen of the loaders that this call makes."""
    group = context[Loaders].by_call()[loader.call]
    loops = [loop for one in group for loop in one.loops]
    return not any(one.trains for one in group) and any(loop.evaluates for loop in loops)


def _is_alone(loader: Loader) -> bool:
    """Whether one worker draws for all, as the main process would."""
    return loader.workers_present is not None and loader.workers.several is None


def _message(kept: KeptGenerator, loader: Loader) -> str:
    several = loader.workers.several
    count = f" ({text_of(several)})" if several is not None else ", if there are several"
    return (
        f"`{kept.owner.name}` makes {kept.what} in `__init__`, and torch does not seed it in "
        f"workers{count}: all of them draw the same numbers, and workers that are started anew "
        "draw them again in every epoch; "
        "make the generator in the worker, from `torch.initial_seed()`, or one for each sample "
        "from a seed and the index"
    )
