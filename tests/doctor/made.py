"""A run that never was: of every time in it is known what it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from dlint.doctor.diagnosis import Diagnosis, diagnose
from dlint.verify.measure.examined import Examined, Fetch, Fetched, Profile, Span
from dlint.verify.measure.record import Epoch, LoaderRecord, Record
from dlint.verify.run.memory import Memory
from dlint.verify.run.runner import Run

INSTALLED = 1000.0
WAIT, WORK, START, FIRST, PAUSE, TAIL = 0.024, 0.016, 0.1, 0.06, 0.05, 0.01
LENGTH, EPOCHS = 30, 5
WINDOW, PROFILED, REPLAYED = (15, 75), (75, 95), (100, 140)
FREE = 0.015
"""Seconds behind the wait, with batches from memory."""


class Times(NamedTuple):
    """When batches were asked for and given, and the epochs that they are of."""

    entered: list[float]
    given: list[float]
    epochs: list[Epoch]


def times(wait: float = WAIT, work: float = WORK) -> Times:
    """Epochs of equal steps; from REPLAYED on they take no waiting."""
    entered: list[float] = []
    given: list[float] = []
    epochs = []
    now = 1.0
    for number in range(EPOCHS):
        start, tail = now, TAIL
        now += START
        ready, first = now, 0.0
        for place in range(LENGTH):
            batch = number * LENGTH + place
            free = batch >= REPLAYED[0]
            entered.append(now)
            now += 0.0 if free else FIRST if place == 0 else wait
            first = now if place == 0 else first
            given.append(now)
            now += FREE if free else work
        end = now + tail
        epochs.append(
            Epoch(
                kind="new",
                start=start,
                batches=LENGTH,
                wait=0.0,
                ready=ready,
                first=first,
                first_wait=first - ready,
                end=end,
                tail=tail,
            )
        )
        now = end + PAUSE
    return Times(entered, given, epochs)


NAMES = ("aten::linear", "aten::to", "aten::item", "aten::mm")
"""Of the work of a step: a half compute, a quarter copies, an eighth synchronisation."""


def profile(found: Times, work: float = WORK) -> Profile:
    """What the profiler saw of each profiled step."""
    rows: list[tuple[int, int, float, float, int]] = []
    for given in found.given[PROFILED[0] : PROFILED[1]]:
        rows.append((0, 0, given, work / 4, 0))
        rows.append((3, 1, given + work / 8, 3 * work / 8, 0))  # by another thread, in part beside
        rows.append((1, 0, given + work / 2, work / 4, 0))
        rows.append((2, 0, given + 3 * work / 4, work / 8, 0))
    return Profile(names=NAMES, rows=tuple(rows))


def loader(found: Times, **given: Any) -> LoaderRecord:
    """The training loader."""
    facts: dict[str, Any] = {
        "site": ("/project/train.py", 7),
        "length": LENGTH,
        "epochs": tuple(found.epochs),
        "batches": len(found.entered),
        "optimizer_steps": len(found.entered),
        "entered": tuple(found.entered),
        "given": tuple(found.given),
        "order": (),
        "hashes": (),
        "samples": (),
        "pinned": None,
        "batch_bytes": 4096,
        "worker_pids": (11, 12),
        "num_workers": 2,
        "batch_size": 8,
        "prefetch_factor": 2,
        "start_method": "fork",
    }
    return LoaderRecord(**{**facts, **given})


def span(found: Times, part: tuple[int, int], restoring: float = 0.0) -> Span:
    """A part of the run, from one batch to another."""
    begun, ended = found.entered[part[0]], found.entered[part[1]]
    return Span(first=part[0], begun=begun, last=part[1], ended=ended, restoring=restoring)


def examined(found: Times, **given: Any) -> Examined:
    """What the process was asked beside."""
    facts: dict[str, Any] = {
        "installed": INSTALLED,
        "phases": {
            "window": span(found, WINDOW),
            "profile": span(found, PROFILED),
            "replay": span(found, REPLAYED),
        },
        "depths": tuple(number % 3 for number in range(150)),
        "first_depth": 1,
        "replayed": 8,
        "profile": profile(found),
        "loaders": [{"samples": 240, "dataset_length": 240, "iterable": False}],
    }
    return Examined(**{**facts, **given})


def record(found: Times | None = None, **given: Any) -> Record:
    """What a process recorded; `loader` and `doctor` are parts of it."""
    found = found or times()
    facts: dict[str, Any] = {
        "why": "window",
        "rank": 0,
        "world": 1,
        "pid": 10,
        "seconds": 9.0,
        "import_seconds": 1.0,
        "first_batch_seconds": 2.0,
        "optimizer_steps": 150,
        "hashing_seconds": 0.0,
        "window": None,
        "datasets": (),
        "losses": (),
        "error": None,
        "requested_strategy": None,
        "train": 0,
        "loaders": (loader(found),),
        "torch": "2.13.0",
        "python": "3.11",
        "cuda_available": False,
        "cuda_used": False,
        "cuda_version": None,
        "threads": 1,
        "gpu": None,
        "doctor": examined(found),
    }
    return Record(**{**facts, **given})


BATCH, COLLATING, PROCESSOR, DELAYED, SENDING, RESIZE = 0.08, 0.008, 0.02, 0.008, 0.004, 0.032
OF_A_BATCH = PROCESSOR, DELAYED, COLLATING
"""Seconds that a worker takes for a batch, and of that on parts of it."""


def fetched(found: Times, **given: Any) -> Fetched:
    """What each of two workers made: a batch in every 80 ms."""
    begun, ended = INSTALLED + found.entered[0], INSTALLED + found.entered[-1]
    count = int((ended - begun) / BATCH)
    rows = tuple(
        Fetch(
            begun + n * BATCH, begun + (n + 1) * BATCH, PROCESSOR, DELAYED, COLLATING, 8, 4096, None
        )
        for n in range(count)
    )
    met = {
        "loader": None,
        "samples": 8 * count,
        "nones": 0,
        "none": [],
        "failure": None,
        "on_device": False,
        "hashes": [],
        "indices": [],
        "shapes": [],
    }
    facts: dict[str, Any] = {
        "rows": rows,
        "sent": tuple((row.done, SENDING) for row in rows),
        "callables": {"Resize": (RESIZE * count, 8 * count), "tiny": (0.00001, 8 * count)},
        "met": ({**met, **given.pop("met", {})},),
        "process": (
            {"read": 0, "stored": 0, "threads": 1, "opencv": None},
            {
                "read": 1000 * (count - 1),
                "stored": 100 * (count - 1),
                "threads": 1,
                "opencv": None,
            },
        ),
    }
    return Fetched(**{**facts, **given})


def run(*records: Record, workers: dict[int, Fetched] | None = None, **given: Any) -> Run:
    """A run; without records, the usual one."""
    facts: dict[str, Any] = {
        "code": 0,
        "records": list(records) or [record()],
        "strategies": [],
        "memory": Memory(),
        "seconds": 12.0,
        "injected": True,
        "stderr": "",
        "fetched": workers if workers is not None else dict.fromkeys((11, 12), fetched(times())),
    }
    return Run(**{**facts, **given})


def diagnosed(one: Run | None = None) -> Diagnosis:
    """What is said of a run."""
    found = Diagnosis("train.py", ["python", "train.py"], when="2026-01-02T03:04:05")
    found.runs, found.seconds = 1, 12.3
    diagnose(one or run(), found)
    return found
