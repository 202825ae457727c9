"""small-shared-memory: workers in a container whose /dev/shm has its small default size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.containers import REMEDIES
from dlint.model.entry_points import EntryPoints
from dlint.model.worker_counts import text_of
from dlint.rules.loader.small_shared_memory.containers import Run, runs

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


class _Proof(NamedTuple):
    loader: Loader
    workers: str


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Containers that run a script with workers and say nothing of shared memory."""
    for run in runs(context):
        proof = _proof(run)
        if proof is not None:
            yield Finding(
                Severity.WARNING,
                _message(run, proof.workers),
                run.place,
                (Related(proof.loader.place, "the script comes to this loader"),),
            )


def _proof(run: Run) -> _Proof | None:
    """A loader that certainly has workers here: by the command, else by the program."""
    loaders = [loader for loader in run.loaders if loader.is_made]
    if run.workers is not None:
        able = (loader for loader in loaders if loader.written("num_workers") is not None)
        loader = next(able, None) if run.workers else None
        return None if loader is None else _Proof(loader, f"`num_workers={run.workers}`")
    for loader in loaders:
        positive = loader.workers.positive
        if positive is not None and _is_trained_by(loader, run.script):
            return _Proof(loader, text_of(positive))
    return None


def _is_trained_by(loader: Loader, script: str) -> bool:
    """Whether this script alone comes to a loop that trains on the loader."""
    context = loader.context
    places = (loop.place for loop in loader.loops if loop.trains)
    return any(context[EntryPoints].script_for((loader.place, place)) == script for place in places)


def _message(run: Run, workers: str) -> str:
    script = run.script.rpartition("/")[2]
    return (
        f"the workers that `{script}` starts here ({workers}) hand over their batches in /dev/shm, "
        f"and a container has 64 MB of it by default: a worker dies with a bus error once the "
        f"batches in flight do not fit; {REMEDIES[run.kind]}"
    )
