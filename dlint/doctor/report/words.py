"""Words and rows that all formats share, out of the plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

Values = dict[str, Any]
Row = tuple[str, ...]

_MIB, _KIB = 2**20, 2**10
LABELS = {
    "waiting": "waiting for data",
    "host": "host work",
    "copies": "copies",
    "compute": "compute",
    "synchronisation": "synchronisation",
    "starting": "starting workers",
    "first": "first batch",
    "tail": "end of the data",
    "between": "until the next epoch",
}
STEP = ("a step", "mean", "p50", "p95", "p99", "of the time")
UNKNOWN = "–"
FETCHING = ("stage", "a sample", "a batch", "share")
FELT = 0.0005
"""The share of the time under which a part of an epoch is not told."""
_COPIED = 0.01
"""The share of a step from which on copies are told beside the ceiling."""
NOTHING = "what binds it could not be told"


def table(head: Row, rows: Iterable[Row]) -> list[Row]:
    """The rows below their head, without columns in which nothing is known; else nothing."""
    known = list(rows)
    kept = [n for n in range(len(head)) if any(row[n] not in ("", UNKNOWN) for row in known)]
    return [tuple(row[n] for n in kept) for row in (head, *known)] if known else []


def answer(found: Values) -> str:
    """The sentence."""
    return found["answer"]["sentence"] if found["answer"] else NOTHING


def ceiling(found: Values) -> str | None:
    """What would be won if data were free, and how that is known."""
    most = found["ceiling"]
    if most is None:
        return None
    how = (
        f"{most['replayed']} steps with batches from memory"
        if most["replayed"]
        else "a step without its wait: there were too few batches to replay some"
    )
    told = (
        f"at most {most['gain']:.2f}x is to be won by loading: a batch takes "
        f"{seconds(most['now'])}, {seconds(most['free'])} if data were free ({how})"
    )
    if most["copies"] > _COPIED * most["free"]:
        told += (
            f"; {most['gain_with_copies']:.2f}x by loading and copies, which are "
            f"{seconds(most['copies'])} of that"
        )
    return told


def cautions(found: Values) -> list[str]:
    """What keeps these figures from being certain."""
    told: list[str] = found["cautions"]
    return told


def step_rows(found: Values) -> Iterator[Row]:
    """A row for each stage of a step, for all of it, and for what lies between epochs."""
    step = found["step"]
    if step is None:
        return
    for name, row in step["stages"].items():
        yield (LABELS[name], *_times(row), f"{row['share']:.0%}")
    yield ("all of it", *_times(step["total"]), "")


def epoch_rows(found: Values) -> Iterator[Row]:
    """A row for each part of an epoch that lies between its steps."""
    epoch = found["epoch"]
    if epoch is None or not epoch["epochs"]:
        return
    for name, row in epoch["edges"].items():
        if row["share"] >= FELT:
            yield (LABELS[name], *_times(row), f"{row['share']:.0%}")


def step_remarks(found: Values) -> Iterator[str]:
    """How the rows of a step were found."""
    step = found["step"]
    if step is None:
        return
    if not step["profiled"]:
        yield "what lies behind the wait could not be divided; it counts as host work"
    else:
        yield (
            f"waiting and all of it: of {step['steps']} steps; the rest as {step['profiled']} "
            "further steps under torch's profiler divide it"
        )
    if step["device"] is not None:
        yield f"the device computes {step['device']:.0%} of the time"
    if len(found["ranks"]) > 1:
        yield f"of {len(found['ranks'])} ranks, the largest of each number"


def fetching_rows(found: Values) -> Iterator[Row]:
    """A row for each stage of what makes a batch."""
    fetching = found["fetching"]
    if fetching is None:
        return
    for name, row in fetching["stages"].items():
        share = row["batch"] / (fetching["batch"] or 1.0)
        label = name if name in ("reading", "collating", "sending") else f"`{name}`"
        yield (label, seconds(row["sample"]), seconds(row["batch"]), f"{share:.0%}")
    yield ("all of it", seconds(fetching["sample"]), seconds(fetching["batch"]), "")


def fetching_title(found: Values) -> str:
    """Where batches are made."""
    count = found["fetching"]["workers"]
    return f"in {count} worker{'s' * (count != 1)}" if count else "in the program itself"


def fetching_remarks(found: Values) -> Iterator[str]:
    """What else is known of it."""
    fetching, queue = found["fetching"], found["queue"]
    if fetching is None:
        return
    busy = f"; a worker has work {fetching['busy']:.0%} of the time" if fetching["workers"] else ""
    yield (
        f"a batch of {fetching['samples']:.4g} samples, {size(fetching['size'])}{busy}; "
        f"{fetching['processor']:.0%} of making it is on a processor"
    )
    if fetching["read"]:
        stored = fetching["stored"] or 0
        yield f"read for a batch: {size(fetching['read'])}, from a disk {size(stored)}"
    if queue is not None:
        yield (
            f"queue: {queue['mean']:.1f} of {queue['most']} batches are ready on average, none "
            f"for {queue['empty']:.0%} of the steps"
        )
    if fetching["needed"] is not None:
        yield f"workers that would feed the loop: {fetching['needed']}"


def machine(found: Values) -> str | None:
    """What the machine has, in a line."""
    facts = found["machine"]
    if facts is None:
        return None
    quota = f" (a quota; {facts['affinity']} are visible)" if facts["quota"] is not None else ""
    told = [f"{facts['cpus']:g} CPUs{quota} for {_plural(facts['ranks'], 'process')}"]
    told[0] += f" of {_plural(facts['threads'], 'thread')}"
    if facts["omp"] is not None:
        told[0] += f" (OMP_NUM_THREADS={facts['omp']})"
    if facts["workers"]:
        threads = _plural(facts["worker_threads"], "thread")
        told[0] += f" and {_plural(facts['workers'], 'worker')} of {threads}"
        told += _worker_memory(facts)
    if facts["shm_free"] is not None and facts["shm_needed"]:
        told.append(f"/dev/shm {size(facts['shm_needed'])} of {size(facts['shm_free'])} free")
    if facts["open_files"] is not None and facts["most_open_files"] is not None:
        told.append(f"{facts['open_files']} of {facts['most_open_files']} open files")
    told.append(f"memory {size(facts['memory'])} of {size(facts['memory_limit'])}")
    told += _storage(facts)
    told += _device(facts)
    return "; ".join(told)


def _storage(facts: Values) -> Iterator[str]:
    """What is read, and how fast; nothing where nothing is."""
    if facts["epoch_bytes"] is not None:
        cache = size(facts["cache"])
        yield f"an epoch reads {size(facts['epoch_bytes'])}, {cache} are left for the page cache"
    if facts["cold"] is None and facts["warm"] is None:
        return
    cold, warm = (
        "not seen" if facts[name] is None else f"{size(facts[name])}/s" for name in ("cold", "warm")
    )
    yield f"read by a worker from a disk (cold): {cold}, from memory (warm): {warm}"


def _device(facts: Values) -> Iterator[str]:
    if facts["device_total"] is not None:
        used = f"{size(facts['device_used'])} of {size(facts['device_total'])} used"
        yield f"the fullest device: {used}, {size(facts['device_memory'])} by torch at most"
    if facts["pinned"] is not None:
        yield f"pinned memory {size(facts['pinned'])}"


def _worker_memory(facts: Values) -> Iterator[str]:
    """Nothing where too little was seen of it."""
    if facts["worker_pss"] is None or facts["worker_memory"] is None:
        return
    grew = ""
    if facts["growth"] is not None:
        grew = f", grew by {size(facts['growth'])}"
    if facts["growth_epoch"] is not None:
        grew += f" ({size(facts['growth_epoch'])} an epoch)"
    own = size(facts["worker_memory"])
    yield f"the largest worker {size(facts['worker_pss'])} (PSS, {own} of it its own){grew}"


def hazard(one: Values) -> str:
    """A hazard, and where it is."""
    where = "" if one["filename"] is None else f" ({place(one['filename'], one['row'])})"
    kind = "for information: " if one["information"] else ""
    return f"{kind}{one['text']}{where}"


def remedy(one: Values) -> str:
    """What could be done, where, and what it can bring."""
    places = dict.fromkeys(place(s["filename"], s["row"]) for s in one["spots"] if s["filename"])
    more = f" and {len(places) - 2} more" if len(places) > 2 else ""
    worth = "not about time" if not one["acts_on"] else "of unknown worth"
    if one["gain"] is not None:
        worth = f"at most {one['gain']:.2f}x"
    return f"{one['rule']} ({worth}) at {', '.join(list(places)[:2])}{more}: {one['title']}"


def command(one: Values) -> str:
    """What measures it."""
    return one["command"] if one["mended"] else f"{one['command']} --fix-file PATCH"


def scope(found: Values) -> str:
    """For what the numbers hold."""
    facts = found["environment"]
    device = facts.get("gpu") or facts.get("cpu") or "this machine"
    runs = f"{found['runs']} run{'s' * (found['runs'] != 1)}"
    when = f" on {found['when'][:10]}" if found["when"] else ""
    torch = facts.get("torch")
    return (
        f"`{ran(found)}`, examined{when} on {device}, torch {torch}, {runs} in "
        f"{found['seconds']:.0f} s."
    )


def ran(found: Values) -> str:
    """What was run, with its arguments; without what could be a secret."""
    said: list[str] = found["command"]
    return " ".join([Path(said[0]).name, *said[1:]]) if said else str(found["program"])


def place(filename: str, row: int) -> str:
    """A row of a file, below the working directory as the user names it."""
    path, here = Path(filename), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{row}"


def seconds(value: float | None) -> str:
    """A time in its usual unit."""
    if value is None:
        return UNKNOWN
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-4 or not value else f"{value * 1e6:.3g} µs"


def size(count: float) -> str:
    """Bytes in their usual unit."""
    if count >= 1024 * _MIB:
        return f"{count / 1024 / _MIB:.1f} GiB"
    return f"{count / _MIB:.1f} MiB" if count >= _MIB else f"{count / _KIB:.1f} KiB"


def _times(row: Values) -> Sequence[str]:
    return [seconds(row[name]) for name in ("mean", "p50", "p95", "p99")]


def _plural(count: int, word: str) -> str:
    ending = "es" if word.endswith("s") else "s"
    return f"{count} {word}{ending * (count != 1)}"
