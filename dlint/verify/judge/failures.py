"""What is said of faults that did not show, and of scripts that fail."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dlint.verify.judge.compare import Faults
from dlint.verify.judge.results import Verdict
from dlint.verify.run.causes import likely_cause
from dlint.verify.run.runner import Run

_FAULTS = {
    "order": "repeated_order",
    "duplicates": "shared_samples",
    "strategy": "ignored_strategy",
}
"""What shows the fault that a claim is about."""


def without_fault(claim: str, before: Faults | None) -> tuple[Verdict, str]:
    """What to say of a fix that is to fix something, when nothing was fixed."""
    if claim == "exception":
        return Verdict.NO_EFFECT, "the script does not fail in the part that was run"
    by_claim = before._asdict() if before is not None else {}
    if claim == "order" and before is not None and before.single_epoch:
        return Verdict.NO_EFFECT, "there is one epoch only, as the script was started"
    seen = by_claim.get(_FAULTS[claim])
    if seen is None:
        return Verdict.INCONCLUSIVE, "the part that was run does not show whether there is a fault"
    if seen:
        return Verdict.NO_EFFECT, "the fault is there with the fix, too"
    return Verdict.NO_EFFECT, "the batches of the training show no such fault"


def exception_of(run: Run) -> str:
    """What ended a run, in a few words."""
    if run.over is not None:
        return run.over
    if run.lost:
        return f"{', '.join(run.lost)} ended without a word: killed, or its machine is gone"
    errors = [record.error for record in run.records if record.error is not None]
    if errors:
        return f"{errors[0].type}: {errors[0].message}"
    last = run.stderr.strip().splitlines()
    return last[-1] if last else f"exit code {run.code}"


def failure_of(what: str, run: Run) -> str:
    """A message that ends with what the script wrote last."""
    tail = "\n".join(f"  {line}" for line in run.stderr.strip().splitlines()[-12:])
    cause = likely_cause(run)
    said = f"{what}: {exception_of(run)}" + ("" if cause is None else f"\nlikely cause: {cause}")
    return said + (f"\n{tail}" if tail else "")


def not_in_force(paths: Iterable[str], run: Run) -> str | None:
    """Why a fix of these files was not in force: the script may run another copy of them, or
    none."""
    changed = {str(Path(path).resolve()) for path in paths}
    if not changed or not changed <= run.unloaded:
        return None
    return (
        f"the fix was not in force: the script did not load {', '.join(sorted(changed))} in "
        "the part that was run; it may import an installed copy"
    )
