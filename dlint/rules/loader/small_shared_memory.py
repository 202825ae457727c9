"""small-shared-memory: workers in a container whose /dev/shm has its small default size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_to
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.containers import DOCKER, REMEDIES, RUN, SIZE
from dlint.model.entry_points import EntryPoints
from dlint.model.loaders import Loaders
from dlint.model.volume import volume_of
from dlint.model.worker_counts import number_of, text_of
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE

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
        severity = None if proof is None else _severity(run, proof.loader)
        if proof is not None and severity is not None:
            yield Finding(
                severity,
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
        if positive is None or (run.is_open and positive.assumed is not None):
            continue
        if _is_trained_by(loader, run.script):
            return _Proof(loader, text_of(positive))
    return None


def _severity(run: Run, loader: Loader) -> Severity | None:
    """By what the batches in flight need, where it is known; None where they fit."""
    batch, count = volume_of(loader).batch_bytes, _in_flight(run, loader)
    if batch is not None and count is not None:
        if batch.high * count <= SIZE:
            return None
        if batch.low * count > SIZE:
            return Severity.WARNING
    return Severity.INFO if run.kind == DOCKER else Severity.WARNING


def _in_flight(run: Run, loader: Loader) -> int | None:
    """How many batches workers have made ahead of the loop; None where that is not known."""
    positive = loader.workers.positive
    workers = run.workers or (None if positive is None else number_of(positive))
    given = loader.argument("prefetch_factor")
    ahead = {2 if a.value in (ABSENT, NONE) else number_of(a) for a in given}
    factor = ahead.pop() if len(ahead) == 1 else None
    return None if workers is None or factor is None else workers * factor


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


class Run(NamedTuple):
    """A script that a container runs."""

    place: Place
    script: str
    """Its path in the project."""
    workers: int | None
    """What the command says of the number of workers."""
    kind: str
    is_open: bool
    """Whether the command may be given words that are not known."""
    loaders: tuple[Loader, ...]
    """The loaders of the modules that the script imports, and its own."""


def runs(context: AnalysisContext) -> Iterator[Run]:
    """The scripts of the project that containers run, in the order of places."""
    for call in calls_to(context, RUN):
        given = {
            a.keyword: a.value.value for a in call.arguments if isinstance(a.value, ex.Constant)
        }
        script = _script(context, str(given["script"]))
        if script is not None:
            workers = given["workers"]
            yield Run(
                context.place_of(call),
                script,
                workers if isinstance(workers, int) else None,
                str(given["kind"]),
                bool(given["is_open"]),
                tuple(_loaders(context, script)),
            )


def _script(context: AnalysisContext, name: str) -> str | None:
    """The one file that a path inside a container can be; the longer its match the better."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    for start in range(len(parts)):
        ending = "/" + "/".join(parts[start:])
        found = [path for path in context.project.files if path.endswith(ending)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _loaders(context: AnalysisContext, script: str) -> Iterator[Loader]:
    paths = context.project.graph.closed(script)
    for group in context[Loaders].by_call().values():
        yield from (loader for loader in group if loader.place.path in paths)
