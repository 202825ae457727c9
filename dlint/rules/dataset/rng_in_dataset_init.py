"""rng-in-dataset-init: generators that every worker gets a copy of, in one and the same state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.workers.kept_generators import (
    drawing_loaders,
    is_drawn_alike,
    kept_generators,
    only_replaces,
)
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.state import Held
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Generators made in constructors that worker code draws from, once for each."""
    told: set[Place] = set()
    for kept in kept_generators(context):
        if kept.place in told:
            continue
        loaders = [x for x in drawing_loaders(context, kept) if is_drawn_alike(context, kept, x)]
        loader = max(loaders, key=lambda x: x.workers.several is not None, default=None)
        if loader is not None:
            told.add(kept.place)
            known = loader.workers.several is not None
            harms = known and not only_replaces(context, kept, loader)
            yield Finding(
                Severity.ERROR if harms else Severity.INFO,
                _message(kept, loader),
                kept.place,
                _related(kept, loader),
            )


def _related(kept: Held, loader: Loader) -> tuple[Related, ...]:
    draws = Related(loader.place, "the workers of this loader draw from it")
    return (draws,) if kept.kept is None else (Related(kept.kept, "it is kept here"), draws)


def _message(kept: Held, loader: Loader) -> str:
    several = loader.workers.several
    where = "in its body" if kept.of_class else "in `__init__`"
    begins = f"is given {kept.what}" if kept.kept is not None else f"makes {kept.what} {where}"
    count = f" ({text_of(several)})" if several is not None else ", if there are several"
    return (
        f"`{kept.owner.name}` {begins}, and torch does not seed it in workers{count}: all of them "
        "draw the same numbers, and workers that are started anew "
        "draw them again in every epoch; "
        "make the generator in the worker, from `torch.initial_seed()`, or one for each sample "
        "from a seed and the index"
    )
