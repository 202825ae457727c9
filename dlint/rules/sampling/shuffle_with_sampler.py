"""shuffle-with-sampler: torch refuses a loader that is given both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.sampler_conflicts import sampler_conflict

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.samplers.sampler_conflicts import SamplerConflict


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with a true `shuffle` and a sampler on one and the same path."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            found = sampler_conflict(loader)
            if found is not None:
                yield _finding(loader, found)
                break


def _finding(loader: Loader, found: SamplerConflict) -> Finding:
    provided = "" if found.is_certain else " whenever the sampler is not None"
    how = f" (by the {found.assumed})" if found.assumed else ""
    related = []
    if loader.has_context:
        related.append(Related(loader.context_place, "the sampler is passed here"))
    return Finding(
        Severity.ERROR,
        f"DataLoader raises ValueError{provided}: `shuffle` is true{how} beside a `sampler`; "
        "leave `shuffle` to the sampler",
        loader.place,
        tuple(related),
        _fix(loader, found),
        loader.argument_place("shuffle"),
    )


def _fix(loader: Loader, found: SamplerConflict) -> Fix | None:
    """Take `shuffle` out, or make it depend on the sampler where that may be None."""
    position = loader.position("shuffle")
    if found.restating is not None:
        return Fix(Applicability.UNSAFE, "Leave `shuffle` to the sampler", (found.restating,))
    if found.is_certain:
        removed = RemoveArgument(loader.place, loader.keyword("shuffle"), position, "False")
        return Fix(Applicability.SAFE, "Leave `shuffle` to the sampler", (removed,))
    name = loader.name_given("sampler")
    if name is None:
        return None
    depending = SetArgument(loader.place, "shuffle", f"({name} is None)", position)
    return Fix(Applicability.SAFE, "Shuffle only without a sampler", (depending,))
