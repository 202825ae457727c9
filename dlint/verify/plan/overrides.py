"""Settings of a loader that are tried without an edit: the probe gives them to its constructor."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from dlint.findings.diagnostic import Applicability
from dlint.fixes.trials.trials import worker_counts
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.claims import Observable
from dlint.workspace.errors import UsageError

_NAMES = frozenset(
    {
        "batch_size",
        "drop_last",
        "in_order",
        "multiprocessing_context",
        "num_workers",
        "persistent_workers",
        "pin_memory",
        "prefetch_factor",
        "shuffle",
        "timeout",
    }
)
_WAITS = 0.2
"""The share of its time that a loop waits for data from which on more workers are tried."""
_PREFETCH = 4

Settings = tuple[tuple[str, Any], ...]


def parse_settings(text: str) -> Settings:
    """`num_workers=4,persistent_workers=True` as names and values. Raises UsageError."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        found = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
        valid = bool(found) and not call.args
    except (SyntaxError, ValueError, AssertionError):
        valid, found = False, {}
    if not valid:
        raise UsageError(f"`--set {text}`: give settings such as num_workers=4,pin_memory=True")
    strange = sorted(set(found) - _NAMES)
    if strange:
        known = ", ".join(sorted(_NAMES))
        raise UsageError(f"`--set {text}`: {strange[0]} is none of {known}")
    return tuple(found.items())


def from_settings(settings: Settings, loader: LoaderRecord | None = None) -> Candidate:
    """The candidate that some settings are, of the loader that feeds the training."""
    name = ", ".join(f"{key}={value!r}" for key, value in settings)
    site = None if loader is None else loader.site
    spot = Spot("", 0, name) if site is None else Spot(site[0], site[1], f"tried: {name}")
    return Candidate(
        name=name,
        code="",
        claim="throughput",
        observable=Observable.STEP,
        applicability=Applicability.TRIAL,
        title=f"Give the loader {name}",
        spots=(spot,),
        settings=settings,
    )


def waiting_trials(
    loader: LoaderRecord, share: float, on_gpu: bool, tried: Sequence[Candidate], cpus: int
) -> list[Candidate]:
    """What is tried where a run shows that the loop waits for data, and no finding asks for it."""
    if share < _WAITS or loader.background or any(_about_workers(c) for c in tried):
        return []
    pinned: Settings = (("pin_memory", True),) if on_gpu else ()
    if loader.workers == 0:
        sets = [
            (("num_workers", count), ("persistent_workers", True), *pinned)
            for count in worker_counts(cpus)[:2]
        ]
    else:
        more = min(2 * loader.workers, max(cpus, loader.workers + 1))
        sets = [
            (("num_workers", more), ("persistent_workers", True), *pinned),
            (("prefetch_factor", _PREFETCH), ("persistent_workers", True), *pinned),
        ]
    return [from_settings(settings, loader) for settings in sets]


def _about_workers(candidate: Candidate) -> bool:
    return "num_workers" in candidate.arguments()
