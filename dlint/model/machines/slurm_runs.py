"""Runs under Slurm that have more workers than their task has CPUs.

Question: which number of workers that a batch script gives is above the CPUs that its own
`#SBATCH` lines ask for? Followed: the options of the command, and the ranks that its launcher
starts. Given up on: scripts that state several numbers of CPUs, launchers that are given CPUs
themselves, and runs of which the number of ranks is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.places import Place
from dlint.library_facts.shells import SLURM_CPUS, SLURM_HEAD
from dlint.model.loading import loader_conflicts
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.worker_counts import number_of
from dlint.semantics.libraries.shell_runs import Stated

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class ShortRun(NamedTuple):
    """A run with more workers than CPUs."""

    place: Place
    """Where the number of workers stands."""
    flag: str
    workers: int
    ranks: int
    """Processes that share the CPUs."""
    cpus: int
    cpus_place: Place
    loader: Loader


def short_runs(context: AnalysisContext) -> Iterator[ShortRun]:
    """The runs whose ranks have, together, more workers than their Slurm task has CPUs."""
    found: dict[Place, ShortRun] = {}
    for loader in chain(*context[Loaders].by_call().values()):
        for alternative in loader.workers.alternatives:
            stated, workers = alternative.source, number_of(alternative)
            if not isinstance(stated, Stated) or not workers or not loader.is_iterated:
                continue
            short = _short(context, loader, stated, workers)
            if short is not None and loader_conflicts.is_run(loader, alternative):
                found.setdefault(short.place, short)
    yield from found.values()


def _short(
    context: AnalysisContext, loader: Loader, stated: Stated, workers: int
) -> ShortRun | None:
    path, started = stated.path, stated.run.started
    head = SLURM_HEAD.match(context.project.text(path).decode("utf-8", "surrogatepass"))
    told = list(SLURM_CPUS.finditer(head[0] if head else ""))
    ranks = started.ranks
    if len(told) != 1 or ranks is None or workers * ranks <= int(told[0][1]):
        return None
    if any((word.text or word.begins).startswith(("-c", "--c")) for word in started.launcher):
        return None
    place, cpus_place = Place(path, *stated.span), Place(path, *told[0].span(1))
    flag = stated.keys[0]
    return ShortRun(place, flag, workers, ranks, int(told[0][1]), cpus_place, loader)
