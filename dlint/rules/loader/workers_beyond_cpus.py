"""workers-beyond-cpus: more workers than the CPUs of a machine, or of a rank, can run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.call_contexts import placed
from dlint.model.loading.config_settings import cpus_of_a_rank
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.machines.slurm_runs import ShortRun, short_runs
from dlint.model.ranks.distributed import Distributed, runs_alone
from dlint.model.workers.worker_counts import number_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.ranks.distributed import Replica


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with as many workers as the machine has CPUs, or more than their rank has."""
    for found in placed(context, _is_wanting, lambda loader: not _is_wanting(loader)):
        loader = found.loaders[0]
        replica = next(loader.context[Distributed].replicas(loader))
        yield _finding(loader, replica, at_caller=found.at_caller)
    for found in placed(context, _is_launched, lambda loader: not _is_launched(loader)):
        yield _of_launcher(found.loaders[0], at_caller=found.at_caller)
    for group in context[Loaders].by_call().values():
        stated = _stated(group[0]) if len(group) == 1 else None
        if stated is not None:
            yield stated
    for short in short_runs(context):
        yield _in_shell(short)


def _in_shell(short: ShortRun) -> Finding:
    """A shell script that asks Slurm for fewer CPUs than it starts workers."""
    each = f" for each of {short.ranks} ranks" if short.ranks > 1 else ""
    message = (
        f"`{short.flag}` is {short.workers}{each}, but Slurm gives them {short.cpus} CPUs: the "
        "workers share those with the training process and with one another; ask for as many "
        "CPUs as there are workers, or measure with fewer workers"
    )
    related = (
        Related(short.cpus_place, "the CPUs of each task"),
        Related(short.loader.place, "the loader is made here"),
    )
    return Finding(Severity.WARNING, message, short.place, related)


def _stated(loader: Loader) -> Finding | None:
    """A config that gives each rank fewer CPUs than the loader has workers."""
    cpus = cpus_of_a_rank(loader)
    numbers = [number_of(a) for a in loader.workers.alternatives if a.assumed is None]
    if cpus is None or len(numbers) != 1 or not loader.workers.is_certain:
        return None
    if numbers[0] is None or numbers[0] <= cpus.number:
        return None
    message = (
        f"`num_workers` is {numbers[0]}, but the launcher gives each rank {cpus.number} CPUs: the "
        "workers share them with the training process and with one another, and torch warns of "
        "it; ask for as many CPUs as there are workers, or measure with fewer workers"
    )
    return Finding(
        Severity.WARNING,
        loader.in_words(message),
        loader.place,
        (Related(cpus.place, "the CPUs of each rank"),),
        argument=loader.argument_place("num_workers"),
    )


def _is_wanting(loader: Loader) -> bool:
    return _takes_each_cpu(loader) and _has_ranks(loader)


def _takes_each_cpu(loader: Loader) -> bool:
    return loader.workers.is_each_cpu and loader.is_made and not loader.is_for_debugging


def _has_ranks(loader: Loader) -> bool:
    return any(True for _ in loader.context[Distributed].replicas(loader))


def _is_launched(loader: Loader) -> bool:
    """Whether a library wraps the loader for as many ranks as its launcher starts, if any."""
    if not _takes_each_cpu(loader) or _has_ranks(loader) or runs_alone(loader):
        return False
    return loader.context[Consumption].shared_out(loader.made) is not None


def _of_launcher(loader: Loader, *, at_caller: bool) -> Finding:
    """What is said where nothing but a launcher tells how many ranks there are."""
    found = loader.context[Consumption].shared_out(loader.made)
    name, wrap = ("the launcher", None) if found is None else (found[0].name, found[1])
    message = (
        f"`num_workers` is the number of CPUs, and every process that {name} is launched with "
        "starts as many: several on one machine have more workers than there are CPUs; divide the "
        "number by the processes of the machine (`LOCAL_WORLD_SIZE`)"
    )
    related = [] if wrap is None else [Related(loader.context.place_of(wrap), "it is wrapped here")]
    if at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    place = loader.context_place if at_caller else loader.place
    argument = loader.argument_place("num_workers")
    said = loader.in_words(message)
    return Finding(Severity.INFO, said, place, tuple(related), argument=argument)


def _finding(loader: Loader, replica: Replica, *, at_caller: bool) -> Finding:
    assumed = loader.workers.alternatives[0].assumed
    by = f" by the {assumed}" if assumed else ""
    context = loader.context
    message = (
        f"`num_workers` is the number of CPUs{by}, and every rank starts as many ({replica.name}): "
        "with several ranks on one machine the workers outnumber the CPUs by that factor, and "
        "memory grows with them; divide the number by the ranks of the machine (`LOCAL_WORLD_SIZE`)"
    )
    related = [Related(context.place_of(replica.wrap), "several ranks train the model")]
    if at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    place = loader.context_place if at_caller else loader.place
    return Finding(
        Severity.WARNING,
        loader.in_words(message),
        place,
        tuple(related),
        argument=loader.argument_place("num_workers"),
    )
