"""The run that is examined; a second one where a script is too short for its parts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from dlint.doctor.diagnosis import Diagnosis, diagnose
from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.failures import failure_of
from dlint.verify.judge.kept import today
from dlint.verify.report.watching import Observer
from dlint.verify.run import terminal
from dlint.verify.run.dry_run import NO_LOADER, NOT_REACHED
from dlint.verify.run.machine import environment
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant

_AS_IT_IS = Variant("as it is", {})
_FEWEST = 12
"""Batches under which nothing can be said of steps."""
_SHARES = {"warmup": 0.1, "window": 0.45, "profile": 0.15, "settle": 0.05, "replay": 0.2}
"""Of the batches of a script that ends by itself."""
_LAST = "replay"
_LIMIT = 60.0
"""Seconds that a run may take beyond those that were asked for."""


Steps = Mapping[str, int]
"""How many steps each part of a run has."""


def examine(
    runner: Runner, seconds: float, observer: Observer, steps: Steps | None = None
) -> Diagnosis:
    """Run the program for some seconds, or for these steps, and say what binds it. Raises
    UnmeasurableError."""
    began = time.monotonic()
    observer.doing(f"running the script for up to {seconds:.0f} s")
    run = _run(runner, seconds, steps)
    if run.code and terminal.is_asked_for(run.stderr):
        observer.doing("it asks for a terminal; running it with one")
        runner.terminal = True
        run = _run(runner, seconds, steps)
    _check(run)
    shorter = _parts_of_a_short_one(run)
    if shorter is not None:
        observer.doing("it ended before all was seen; running it once more, in shorter parts")
        again = _run(runner, seconds, shorter)
        run = run if again.failed or again.training is None else again
    diagnosis = Diagnosis(runner.program.name, runner.program.command())
    diagnose(run, diagnosis)
    _tell(diagnosis, run)
    diagnosis.environment = environment(run, runner.program.script)
    diagnosis.seconds, diagnosis.runs = time.monotonic() - began, runner.count
    diagnosis.when = today()
    return diagnosis


def _run(runner: Runner, seconds: float, steps: Steps | None) -> Run:
    plan: dict[str, Any] = {"seconds": seconds, "steps": steps}
    return runner.run(_AS_IT_IS, RunConfig(memory=True, limit=seconds + _LIMIT, doctor=plan))


def _check(run: Run) -> None:
    """Raise UnmeasurableError where nothing was seen; a script that fails may show why."""
    if run.loaderless:
        raise UnmeasurableError(NO_LOADER)
    if not run.injected and (run.over or not run.failed):
        raise UnmeasurableError(NOT_REACHED)
    if run.training is None and not any(fetched.met for fetched in run.fetched.values()):
        if run.failed:
            raise UnmeasurableError(failure_of("the script fails", run))
        raise UnmeasurableError("no DataLoader of torch was read before the script ended")


def _parts_of_a_short_one(run: Run) -> Steps | None:
    """Steps of each part for a script that ended before the last one; None where it did not, or
    there is too little of it."""
    record, loader = run.record, run.training
    if run.failed or record is None or loader is None or record.doctor is None:
        return None
    if record.why != "exit" or _is_through(record.doctor.phases.get(_LAST)):
        return None
    if loader.batches < _FEWEST:
        return None
    return {name: int(loader.batches * share) for name, share in _SHARES.items()}


def _is_through(span: Any) -> bool:
    return span is not None and span.last is not None and span.last - span.first >= _FEWEST


def _tell(diagnosis: Diagnosis, run: Run) -> None:
    """What the reader must know of the run."""
    loader = run.training
    if run.failed:
        diagnosis.failure = failure_of("the script fails", run)
    if diagnosis.line is None and not run.failed:
        count = 0 if loader is None else loader.batches
        diagnosis.notes.append(f"the script took {count} batches: too few to time a step")
    if loader is not None and loader.background:
        diagnosis.notes.append(
            "the loader is read in a background thread: what that waits for, the program need not"
        )
    record = run.record
    if record is None or record.doctor is None:
        return
    if record.doctor.unkept is not None:
        diagnosis.notes.append(f"batches could not be replayed: {record.doctor.unkept}")
    if record.doctor.profile.error is not None:
        diagnosis.notes.append(f"the profiler of torch failed: {record.doctor.profile.error}")
