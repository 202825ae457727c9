"""What would keep workers from starting, were a loader given some: the one home of that question.

Advice to set `num_workers` breaks a program that runs where workers begin as new interpreters, if
these cannot be sent what the loader holds, lack a name that the main guard binds, or come to the
start of workers again themselves. Where they are forked, it breaks samples that are read through a
file which the constructor of the data set has opened.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.library_facts.start_methods import FRESH
from dlint.model.data.handles import kept_handles
from dlint.model.data.sent_handles import is_used, keepers, reopens
from dlint.model.loading.fresh_workers import FreshWorkers, fresh_workers_of
from dlint.model.machines.platforms import Admission, Platforms
from dlint.model.workers.guarded_names import guarded_name
from dlint.model.workers.unguarded_starts import UnguardedStarts
from dlint.model.workers.unpicklable import unpicklable

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


def hindrance(loader: Loader) -> Related | None:
    """Where and why workers would not start, or give wrong samples, on a platform that is
    admitted, if so.
    """
    return _shared(loader) or _unsent(loader)


def _shared(loader: Loader) -> Related | None:
    """What the constructor of the data set leaves open, that forked workers would share."""
    for keeper in keepers(loader.context):
        if loader not in keeper.of.own_loaders:
            continue
        for kept in kept_handles(keeper.of):
            if kept.is_off or not kept.handle.breaks_forked or not is_used(keeper, kept):
                continue
            if not reopens(keeper.of, loader, kept.attribute):
                return Related(kept.place, f"forked workers would {kept.handle.forked}")
    return None


def _unsent(loader: Loader) -> Related | None:
    """What workers that begin as new interpreters cannot be sent, or do again."""
    fresh = fresh_workers_of(loader.context, loader)
    refused = unpicklable(loader)
    run_on = _last_run_on(loader, fresh)
    if refused is not None and refused.in_notebook and run_on is not None:
        fresh = replace(fresh, admission=run_on)
    if fresh.severity is Severity.INFO:
        return None
    by = f"workers started by {fresh.methods_text}"
    if refused is not None:
        return Related(refused.place, f"{by} cannot be sent what `{refused.argument}` holds")
    unbound = guarded_name(loader)
    if unbound is not None:
        why = f"{by} have no `{unbound.name}`: the main guard alone binds it"
        return Related(unbound.place, why)
    place = loader.context[UnguardedStarts].start(loader)
    if place is None:
        return None
    return Related(place, f"{by} come here too and raise RuntimeError, for want of a main guard")


def _last_run_on(loader: Loader, fresh: FreshWorkers) -> Admission | None:
    """A platform that spawns workers on which the notebook of a loader was last run, where nothing
    else tells where it runs.
    """
    path = loader.call.scope.module.path
    return None if fresh.admission else loader.context[Platforms].printed(path)


def lacks_main_guard(loader: Loader) -> bool:
    """Whether workers that begin as new interpreters would come to their own start again."""
    return loader.context[UnguardedStarts].start(loader) is not None


def are_kept_by_notebook(loader: Loader) -> bool:
    """Whether a notebook that shows a platform of its own keeps workers from starting there.

    By a path that it holds, or printed when it was last run. Not so by the device `mps`, which is
    one of several, nor by what a package admits or the list of packages says: its notebooks were
    run elsewhere.
    """
    refused = unpicklable(loader)
    if refused is None or not refused.in_notebook:
        return False
    fresh = fresh_workers_of(loader.context, loader)
    if loader.context[Platforms].printed(loader.call.scope.module.path) is not None:
        return True
    shown = fresh.admission
    by_path = shown is not None and shown.sign is not None
    by_path &= shown is not None and not (shown.is_by_device or shown.is_by_list)
    return by_path or fresh.methods <= FRESH
