"""repeated-worker-seed: a `worker_init_fn` that seeds all workers, or all epochs, alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.findings.places import Place
from dlint.library_facts.seeding import FRESH, LIBRARY
from dlint.model.epochs import epoch_loops
from dlint.model.worker_code import INIT, WorkerCode
from dlint.rules.randomness.repeated_worker_seed import seeding
from dlint.rules.randomness.repeated_worker_seed.plain_samples import are_plain
from dlint.rules.randomness.repeated_worker_seed.seeding import Depends, Seeding
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry


def check(context: AnalysisContext) -> Iterator[Finding]:
    """The first harmful seed of each `worker_init_fn`."""
    seen: set[Place] = set()
    for entry in context[WorkerCode].entries:
        if entry.role == INIT and entry.may_work:
            found = _harmful(context, entry)
            if found is not None and (place := context.place_of(found[0][0].call)) not in seen:
                seen.add(place)
                yield _finding(context, *found)


def _harmful(context: AnalysisContext, entry: Entry) -> tuple[list[Seeding], Loader, bool] | None:
    """The seeds that repeat, for whose workers, and whether samples are drawn with them."""
    seeds = seeding.seedings(entry)
    found = []
    for loader in entry.loaders if seeds else ():
        harmful = [s for s in seeds if _repeats(loader, s.depends)]
        drawn = set(seeding.drawn_from(context, loader)) if harmful else set()
        proven = [s for s in harmful if s.library in drawn]
        if harmful and (proven or not (drawn or are_plain(context, loader))):
            found.append((proven or harmful, loader, bool(proven)))
    return max(found, key=lambda one: one[2], default=None)


def _repeats(loader: Loader, depends: Depends) -> bool:
    """Whether workers, or the same workers of several epochs, get one seed."""
    if loader.workers_absent:
        return False
    if depends is Depends.NOTHING:
        return loader.workers.may_be_several and (loader.trains or any(epoch_loops(loader)))
    lives_on = any(a.value not in (ABSENT, FALSE) for a in loader.argument("persistent_workers"))
    return not lives_on and any(epoch_loops(loader))


def _finding(
    context: AnalysisContext, seeds: list[Seeding], loader: Loader, drawn: bool
) -> Finding:
    first = seeds[0]
    libraries = " and ".join(dict.fromkeys(LIBRARY[s.library] for s in seeds))
    if first.depends is Depends.NOTHING:
        wrong = f"every worker seeds {libraries} alike, so all workers draw the same numbers"
    else:
        wrong = (
            f"this seeds {libraries} by the number of the worker alone, and workers are started "
            "anew for each epoch: every epoch draws the same numbers"
        )
    certain = drawn and (loader.workers.several or loader.workers_present) is not None
    return Finding(
        Severity.ERROR if certain else Severity.INFO,
        f"{wrong}; leave it to torch, which seeds workers by epoch and number (NumPy's too since "
        "1.9), or use `torch.initial_seed()`",
        context.place_of(first.call),
        (Related(loader.place, "this loader has such workers"),),
        _fix(seeds, loader),
    )


def _fix(seeds: list[Seeding], loader: Loader) -> Fix | None:
    if any(s.library not in FRESH for s in seeds):
        return None
    path = seeds[0].call.scope.module.path
    operations = tuple(
        ReplaceExpression(Place(path, *s.seed.span), FRESH[s.library])
        for s in seeds
        if s.call.scope.module.path == path
    )
    return Fix(Applicability.UNSAFE, "Seed by what torch has seeded the worker with", operations)
