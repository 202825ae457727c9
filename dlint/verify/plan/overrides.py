"""Settings of a loader that are tried without an edit: the probe gives them to its constructor."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dlint.findings.diagnostic import Applicability
from dlint.fixes.trials.trials import worker_counts
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.plan.order import WAITS
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
THREADS = "worker_threads"
"""No argument of a loader: the threads that torch and OpenCV have in each of its workers."""
_COUNTS = 2
"""Numbers of workers that are tried in place of none."""

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
    names = {*_NAMES, THREADS}
    strange = sorted(set(found) - names)
    if strange:
        known = ", ".join(sorted(names))
        raise UsageError(f"`--set {text}`: {strange[0]} is none of {known}")
    count = found.get(THREADS, 1)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise UsageError(f"`--set {text}`: {THREADS} is a number from 1 on")
    return tuple(found.items())


def from_settings(
    settings: Settings, loader: LoaderRecord | None = None, alone: bool = False
) -> Candidate:
    """The candidate that some settings are, of the loader that feeds the training; `alone`: the
    others keep theirs."""
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
        at=site if alone else None,
    )


def waiting_trials(
    loader: LoaderRecord,
    share: float,
    on_gpu: bool,
    tried: Sequence[Candidate],
    cpus: int,
    for_handing: bool = False,
) -> list[Candidate]:
    """What is tried where a run shows that the loop waits for data, and no candidate does it to
    this loader: more workers, which stay and pin, and a longer queue. Where it waits `for_handing`
    over what is made already: no workers, and fewer."""
    if share < WAITS or loader.background:
        return []
    if for_handing:
        if any(_sets(candidate, "num_workers", loader) for candidate in tried):
            return []
        counts = dict.fromkeys((0, loader.workers // 2))
        return [from_settings((("num_workers", count),), loader) for count in counts]
    staying = _not_set(loader, (("persistent_workers", True), *((("pin_memory", True),) * on_gpu)))
    sets: list[Settings] = []
    if not any(_sets(candidate, "num_workers", loader) for candidate in tried):
        sets += [(("num_workers", count), *staying) for count in _counts(loader, cpus)]
    if loader.workers and not any(_sets(c, "prefetch_factor", loader) for c in tried):
        sets.append((("prefetch_factor", 2 * loader.queue // loader.workers), *staying))
    return [from_settings(settings, loader) for settings in sets]


def _counts(loader: LoaderRecord, cpus: int) -> list[int]:
    """Numbers of workers to try in place of its own."""
    if loader.workers == 0:
        return worker_counts(cpus)[:_COUNTS]
    more = min(2 * loader.workers, max(cpus, loader.workers + 1))
    return [more]


def _not_set(loader: LoaderRecord, settings: Settings) -> Settings:
    """Those that the loader does not have already."""
    return tuple((name, value) for name, value in settings if getattr(loader, name) is not value)


def _sets(candidate: Candidate, name: str, loader: LoaderRecord) -> bool:
    """Whether a candidate sets an argument of this loader: another one, such as that of a
    validation, is not what the loop waits for."""
    if name not in candidate.arguments():
        return False
    if candidate.settings or loader.site is None:
        return True
    path, row = loader.site
    return any(spot.row == row and _same(spot.filename, path) for spot in candidate.spots)


def _same(one: str, two: str) -> bool:
    return Path(one).resolve() == Path(two).resolve()
