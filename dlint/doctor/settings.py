"""Settings of the loader that a run speaks for, and that `dlint verify --set` can try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dlint.doctor.binding import LOADING, UNEVEN, WORKERS
from dlint.doctor.ceiling import Ceiling
from dlint.doctor.fetching import Fetching
from dlint.doctor.machine import Machine
from dlint.doctor.operations import COPIES, WAITING_FOR_DEVICE
from dlint.doctor.timeline import STARTING
from dlint.verify.measure.record import LoaderRecord

_QUEUE = 4
"""The least `prefetch_factor` that is tried where a few batches are slow."""
_SHARE = 0.8
"""Of the memory that is left, what workers may take."""

Settings = Mapping[str, Any]


class Known(NamedTuple):
    """What settings are worked out from."""

    kind: str
    """What binds the loop."""
    loader: LoaderRecord
    fetching: Fetching
    ceiling: Ceiling
    machine: Machine
    on_gpu: bool


def settings(known: Known) -> Settings | None:
    """What is worth a try; None where nothing is. None of it changes which samples are read."""
    found: dict[str, Any] = {}
    if known.kind in (WORKERS, LOADING):
        count = workers(known)
        if count > known.loader.workers:
            found["num_workers"] = count
    elif known.kind == UNEVEN:
        factor = known.loader.prefetch_factor
        found["prefetch_factor"] = max(_QUEUE, 2 * factor if isinstance(factor, int) else 0)
    has_workers = "num_workers" in found or bool(known.loader.workers)
    if (found or known.kind == STARTING) and has_workers and not known.loader.persistent_workers:
        found["persistent_workers"] = True
    bound_by_copies = known.kind in (COPIES, WAITING_FOR_DEVICE)
    if known.on_gpu and known.loader.pinned is False and (found or bound_by_copies):
        found["pin_memory"] = True
    return found or None


def workers(known: Known) -> int:
    """How many workers of each rank would feed the loop, as far as there are processors and memory
    for them; 0 where there is none left."""
    fetching, machine = known.fetching, known.machine
    ranks = max(1, machine.ranks)
    own = max(0.0, min(1.0, known.ceiling.free_step / max(1e-9, known.ceiling.now)))
    left = machine.cpus / ranks - own
    most = fetching.needed(known.ceiling.free_step)
    if fetching.computing > 0:
        most = min(most, max(1, int(left / fetching.computing)))
    if machine.worker_memory:
        taken = machine.memory - machine.workers * machine.worker_memory
        space = _SHARE * machine.memory_limit - taken
        most = min(most, int(space / ranks / machine.worker_memory))
    return max(0, most)
