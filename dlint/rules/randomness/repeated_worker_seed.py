"""repeated-worker-seed: a `worker_init_fn` that seeds all workers, or all epochs, alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.findings.places import Place
from dlint.library_facts.seeding import (
    FRESH,
    LIBRARY,
)
from dlint.library_facts.varying import Source
from dlint.model.versions.admitted import Versions
from dlint.model.workers.worker_code import INIT, WorkerCode
from dlint.model.workers.worker_seeds import (
    SEEDS_NUMPY,
    BareSeed,
    Seeding,
    bare_seeds,
    harmful_seeds,
    unseeded_draws,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """The first harmful seed of each `worker_init_fn`."""
    seen: set[Place] = set()
    for entry in context[WorkerCode].entries:
        if entry.role == INIT and entry.may_work:
            found = harmful_seeds(context, entry)
            if found is not None and (place := found[0][0].place) not in seen:
                seen.add(place)
                yield _finding(*found)
    for bare in bare_seeds(context):
        yield _bare(bare)
    for place, loader in unseeded_draws(context):
        yield _not_seeded(context, place, loader)


_BY_NUMBER = (
    "this seeds {} by the number of the worker alone, and workers are started anew for each epoch: "
    "every epoch draws the same numbers"
)
_INSTEAD = (
    "; leave it to torch, which seeds workers by epoch and number (NumPy's too since 1.9), or use "
    "`torch.initial_seed()`"
)


def _bare(found: BareSeed) -> Finding:
    loader = found.loader
    certain = found.is_drawn and (loader.workers.several or loader.workers_present) is not None
    return Finding(
        Severity.ERROR if certain else Severity.INFO,
        _BY_NUMBER.format(LIBRARY[found.library]) + _INSTEAD,
        loader.place,
        argument=loader.argument_place("worker_init_fn"),
    )


def _not_seeded(context: AnalysisContext, place: Place, loader: Loader) -> Finding:
    admitted = context[Versions].torch(loader.place.path)
    always = not admitted.ever(SEEDS_NUMPY)
    what = (
        "the torch of this project" if always else "a torch before 1.9, which this project admits,"
    )
    return Finding(
        Severity.ERROR if always and loader.trains else Severity.INFO,
        f"{what} does not seed NumPy in workers: each starts with the state that the script has, "
        "so all of them draw the same numbers, and so do all epochs unless the script itself draws "
        "some between them; seed it in `worker_init_fn` by "
        "`torch.initial_seed() % 2**32`, or ask for torch 1.9",
        place,
        (Related(loader.place, "this loader has such workers"),),
    )


def _finding(seeds: list[Seeding], loader: Loader, drawn: bool) -> Finding:
    first = seeds[0]
    libraries = " and ".join(dict.fromkeys(LIBRARY[s.library] for s in seeds))
    if Source.WORKER not in first.depends.possible:
        wrong = f"every worker seeds {libraries} alike, so all workers draw the same numbers"
    else:
        wrong = _BY_NUMBER.format(libraries)
    if first.by_state:
        wrong += ", as the first word of NumPy's state is 2147483648 wherever torch has seeded it"
    certain = drawn and (loader.workers.several or loader.workers_present) is not None
    return Finding(
        Severity.ERROR if certain else Severity.INFO,
        wrong + _INSTEAD,
        first.place,
        (Related(loader.place, "this loader has such workers"),),
        _fix(seeds, loader),
        needs=(SEEDS_NUMPY,) if first.by_state else (),
    )


def _fix(seeds: list[Seeding], loader: Loader) -> Fix | None:
    if any(s.library not in FRESH for s in seeds):
        return None
    path = seeds[0].place.path
    operations = tuple(
        ReplaceExpression(s.given, FRESH[s.library]) for s in seeds if s.given.path == path
    )
    return Fix(Applicability.UNSAFE, "Seed by what torch has seeded the worker with", operations)
