"""The time line of a training loop: what a step consists of, and what an epoch costs beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dlint.doctor.operations import HOST, WAITING_FOR_DEVICE, WORK, work
from dlint.doctor.spread import Spread, spread, widest
from dlint.verify.measure.examined import Examined, Span
from dlint.verify.measure.record import Epoch, LoaderRecord, Record

WAITING = "waiting"
STAGES = (WAITING, *WORK)
STARTING, FIRST, TAIL, BETWEEN = "starting", "first", "tail", "between"
EDGES = (STARTING, FIRST, TAIL, BETWEEN)
"""Of an epoch: workers that start; the wait for its first batch; the wait to be told that there is
no further one; and what the program does until the next, such as a validation."""


class TimeLine(NamedTuple):
    """Where the time of the window went, of one rank or, number by number, of the slowest."""

    step: Spread
    """Seconds from batch to batch within an epoch."""
    stages: Mapping[str, Spread]
    """Seconds a step, by stage."""
    edges: Mapping[str, Spread]
    """Seconds an epoch, by what lies between its steps."""
    shares: Mapping[str, float]
    """Of all the time of the window, by stage and edge; they add up to 1."""
    steps: int
    """How many were timed."""
    profiled: int
    """How many of further ones say what lies behind the wait; without any it all counts as work of
    the host."""
    epochs: int
    """How many began in the window."""
    batches: int
    """How many were taken in it."""
    seconds: float
    """How long it was."""
    device: float | None
    """The share of the profiled steps in which a device computed."""


def time_lines(records: Sequence[Record]) -> list[TimeLine]:
    """Those of all ranks that came through their window."""
    found = [_time_line(record) for record in records]
    return [line for line in found if line is not None]


def slowest(lines: Sequence[TimeLine]) -> TimeLine:
    """Number by number the largest of all ranks; shares are those of the rank that waits least
    for the others, which is the one that all wait for; else of the slowest."""
    slow = min(lines, key=lambda line: (round(line.shares[WAITING_FOR_DEVICE], 2), -line.step.mean))
    return slow._replace(
        step=widest([line.step for line in lines]),
        stages={s: widest([line.stages[s] for line in lines]) for s in STAGES},
        edges={e: widest([line.edges[e] for line in lines]) for e in EDGES},
    )


class Steps(NamedTuple):
    """The batches of a part of the run by number, and in which epoch each lies."""

    loader: LoaderRecord
    first: int
    last: int

    def whole(self) -> Iterator[int]:
        """Those behind which a further one of the same epoch was asked for."""
        ends = self._ends()
        yield from (n for n in range(self.first, self._stop()) if n + 1 not in ends)

    def steady(self) -> Iterator[int]:
        """Of these, those that are not the first of their epoch."""
        ends = self._ends()
        yield from (n for n in self.whole() if n not in ends)

    def later(self) -> Iterator[int]:
        """All but the first of each epoch."""
        ends = self._ends()
        yield from (n for n in range(self.first, self._stop()) if n not in ends)

    def ending(self) -> Iterator[float]:
        """Seconds behind the last batch of each epoch, to where a further one was asked for."""
        count = 0
        for epoch in self.loader.epochs:
            count += epoch.batches
            if epoch.end is None or epoch.tail is None or not epoch.batches:
                continue
            if self.first < count <= self._stop():
                yield epoch.end - epoch.tail - self.loader.given[count - 1]

    def _stop(self) -> int:
        return min(self.last, len(self.loader.entered) - 1, len(self.loader.given))

    def _ends(self) -> set[int]:
        found, count = {0}, 0
        for epoch in self.loader.epochs:
            count += epoch.batches
            found.add(count)
        return found


def steps_of(record: Record, name: str) -> Steps | None:
    """The steps of a part of the run; None where it did not come to its end."""
    loader, found = record.training, record.doctor
    span = None if found is None else found.phases.get(name)
    if loader is None or span is None or span.last is None:
        return None
    return Steps(loader, span.first, span.last)


def _time_line(record: Record) -> TimeLine | None:
    steps, examined = steps_of(record, "window"), record.doctor
    if steps is None or examined is None or steps.last - steps.first < 2:
        return None
    entered, given = steps.loader.entered, steps.loader.given
    waits = [given[n] - entered[n] for n in steps.later()]
    works = [entered[n + 1] - given[n] for n in steps.whole()] + list(steps.ending())
    span = examined.phases["window"]
    parts, device = _profiled(record, examined)
    stages = {WAITING: spread(waits), **_stages(works, parts)}
    epochs = _epochs(steps.loader, span)
    edges = {name: spread(_edge(name, epochs)) for name in EDGES}
    seconds = (span.ended or 0.0) - span.begun
    return TimeLine(
        step=spread([entered[n + 1] - entered[n] for n in steps.steady()]),
        stages=stages,
        edges=edges,
        shares=_shares(waits, works, stages, epochs, seconds),
        steps=len(waits),
        profiled=len(parts),
        epochs=len(epochs),
        batches=steps.last - steps.first,
        seconds=seconds,
        device=device,
    )


def _profiled(
    record: Record, examined: Examined
) -> tuple[Sequence[Mapping[str, float]], float | None]:
    steps, span = steps_of(record, "profile"), examined.phases.get("profile")
    if steps is None or span is None or examined.profile.error or not examined.profile.rows:
        return (), None
    loader = steps.loader
    bounds = [(loader.given[n], loader.entered[n + 1]) for n in steps.whole()]
    found = work(examined.profile, bounds, (span.begun, span.ended or span.begun))
    return found.steps, found.device


def _stages(works: Sequence[float], parts: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """What lies behind the wait, as the profiled steps divide it: those were slowed down a bit."""
    mean = spread(works).mean
    total = sum(sum(part.values()) for part in parts)
    if not total:
        return {name: spread(works if name == HOST else ()) for name in WORK}
    factor = mean * len(parts) / total
    return {name: spread([part[name] for part in parts]).scaled(factor) for name in WORK}


def _epochs(loader: LoaderRecord, span: Span) -> list[tuple[Epoch, Epoch | None]]:
    """The epochs that began in a part of the run, each with the one before it."""
    ended = span.ended or span.begun
    before: list[Epoch | None] = [None, *loader.epochs]
    pairs = zip(loader.epochs, before, strict=False)
    return [(epoch, last) for epoch, last in pairs if span.begun <= epoch.start < ended]


def _edge(name: str, epochs: Sequence[tuple[Epoch, Epoch | None]]) -> list[float]:
    """Seconds of one kind, of each epoch that has them."""
    found = []
    for epoch, last in epochs:
        end = None if last is None else last.end
        value = {
            STARTING: None if epoch.ready is None else epoch.ready - epoch.start,
            FIRST: epoch.first_wait,
            TAIL: None if last is None else last.tail,
            BETWEEN: None if end is None else epoch.start - end,
        }[name]
        if value is not None:
            found.append(max(0.0, value))
    return found


def _shares(
    waits: Sequence[float],
    works: Sequence[float],
    stages: Mapping[str, Spread],
    epochs: Sequence[tuple[Epoch, Epoch | None]],
    seconds: float,
) -> dict[str, float]:
    """What the time of the window went to; between epochs is what nothing else explains."""
    behind = sum(stages[name].mean for name in WORK) or 1.0
    found = {name: sum(works) * stages[name].mean / behind for name in WORK}
    found[WAITING] = sum(waits)
    found.update({name: sum(_edge(name, epochs)) for name in (STARTING, FIRST, TAIL)})
    whole = max(seconds, sum(found.values()))
    found[BETWEEN] = whole - sum(found.values())
    return {name: value / (whole or 1.0) for name, value in found.items()}
