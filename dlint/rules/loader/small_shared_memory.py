"""small-shared-memory: workers in a container whose /dev/shm has its small default size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.containers import DOCKER, REMEDIES, SIZE
from dlint.model.machines.container_runs import ContainerRun, container_runs
from dlint.model.machines.entry_points import EntryPoints
from dlint.model.workers.worker_counts import number_of, text_of
from dlint.model.worth.volume import volume_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class _Proof(NamedTuple):
    loader: Loader
    workers: str


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Containers that run a script with workers and say nothing of shared memory."""
    for run in container_runs(context):
        proof = _proof(run)
        severity = None if proof is None else _severity(run, proof.loader)
        if proof is not None and severity is not None:
            yield Finding(
                severity,
                _message(run, proof.workers),
                run.place,
                tuple(_related(run, proof.loader)),
            )


def _proof(run: ContainerRun) -> _Proof | None:
    """A loader that certainly has workers here: by the command, else by the program."""
    loaders = [loader for loader in run.loaders if loader.is_made]
    if run.workers is not None:
        able = (loader for loader in loaders if loader.given("num_workers") is not None)
        loader = next(able, None) if run.workers else None
        return None if loader is None else _Proof(loader, f"`num_workers={run.workers}`")
    for loader in loaders:
        positive = loader.workers.positive
        if positive is None or (run.is_open and positive.assumed is not None):
            continue
        if _is_trained_by(loader, run.script):
            return _Proof(loader, text_of(positive))
    return None


def _related(run: ContainerRun, loader: Loader) -> Iterator[Related]:
    if run.description is not None:
        yield Related(run.description, "the container is described here")
    yield Related(loader.place, "the script comes to this loader")


def _severity(run: ContainerRun, loader: Loader) -> Severity | None:
    """By what the batches in flight need, where it is known; None where they fit."""
    batch, count = volume_of(loader).batch_bytes, _in_flight(run, loader)
    if batch is not None and count is not None:
        if batch.high * count <= SIZE:
            return None
        if batch.low * count > SIZE:
            return Severity.WARNING
    return Severity.INFO if run.kind == DOCKER else Severity.WARNING


def _in_flight(run: ContainerRun, loader: Loader) -> int | None:
    """How many batches workers have made ahead of the loop; None where that is not known."""
    positive = loader.workers.positive
    workers = run.workers or (None if positive is None else number_of(positive))
    given = loader.argument("prefetch_factor")
    ahead = {2 if a.is_nothing else number_of(a) for a in given}
    factor = ahead.pop() if len(ahead) == 1 else None
    return None if workers is None or factor is None else workers * factor


def _is_trained_by(loader: Loader, script: str) -> bool:
    """Whether this script alone comes to a loop that trains on the loader."""
    context = loader.context
    places = (loop.place for loop in loader.loops if loop.trains)
    return any(context[EntryPoints].script_for((loader.place, place)) == script for place in places)


def _message(run: ContainerRun, workers: str) -> str:
    script = run.script.rpartition("/")[2]
    return (
        f"the workers that `{script}` starts here ({workers}) hand over their batches in /dev/shm, "
        f"and a container has 64 MB of it by default: a worker dies with a bus error once the "
        f"batches in flight do not fit; {REMEDIES[run.kind]}"
    )
