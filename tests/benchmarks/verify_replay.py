"""The decision rule of `dlint verify`, applied to recorded and to simulated noise.

    python tests/benchmarks/verify_replay.py replay TRACES...
    python tests/benchmarks/verify_replay.py within TRACES... --budget 60 --count 300
    python tests/benchmarks/verify_replay.py simulate OUT --count 1500

TRACES are what `verify_errors.py trace` (or `record`) wrote. `replay` goes over every stretch of a
series, and over the series with a speedup put in. `within` replays whole verifications with a
budget at random places of traces, with a start before each run and a noise of each process.
`simulate` draws the noise of four kinds of machines, with what differs from process to process.
Two variants live at once and take turns, or follow each other with `--design pairs`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dlint.verify.judge.statistics import FEWEST, Call, confidence_for, estimate, looks
from dlint.verify.measure.interleaved import SLICES


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("replay", "within", "simulate"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--design", choices=("duet", "pairs"), default="duet")
    given = parser.parse_args()
    if given.command == "replay":
        _replay(given.files, given.design)
    elif given.command == "within":
        _within(given)
    else:
        with given.files[0].open("a", encoding="utf-8") as file:
            for line in _simulate(given):
                file.write(json.dumps(line) + "\n")
                print(line, flush=True)


def _replay(files: Sequence[Path], design: str) -> None:
    """Every stretch of the series. A duet takes 16 chunks a restart, and there is one process for
    all: what differs between processes is left out, so its figures are better than in truth."""
    series = [s for path in files for s in _series(path)]
    many, ratios_of = (24, _ratios) if design == "pairs" else (24 * SLICES, _restarts)
    for speedup in (1.0, 1.1, 1.25):
        calls: dict[Call, int] = {}
        spreads = []
        for values in series:
            for start in range(len(values) - many + 1):
                ratios = ratios_of(values[start : start + many], speedup)
                spreads.append(statistics.stdev(ratios))
                call = _decided(ratios)
                calls[call] = calls.get(call, 0) + 1
        whole = sum(calls.values()) or 1
        shares = ", ".join(f"{call}: {n} ({n / whole:.1%})" for call, n in sorted(calls.items()))
        spread = statistics.median(spreads) if spreads else math.nan
        print(f"speedup {speedup}: {whole} verifications, spread of a pair {spread:.3f}; {shares}")


def _series(path: Path) -> Iterator[list[float]]:
    for line in path.read_text("utf-8").splitlines():
        values = json.loads(line).get("values") or []
        if len(values) >= 24:
            yield values


def _ratios(values: Sequence[float], speedup: float) -> list[float]:
    """The log ratios of twelve pairs in the order ABBA, with the B runs made faster."""
    ratios = []
    for number in range(12):
        first, second = values[2 * number : 2 * number + 2]
        before, after = (first, second) if number % 2 == 0 else (second, first)
        ratios.append(math.log(before / after * speedup))
    return ratios


def _restarts(values: Sequence[float], speedup: float) -> list[float]:
    """The log ratios of twelve restarts, each the mean over its neighbouring turns."""
    ratios = []
    for restart in range(12):
        turns = values[2 * SLICES * restart : 2 * SLICES * (restart + 1)]
        each = []
        for number in range(SLICES):
            first, second = turns[2 * number : 2 * number + 2]
            before, after = (first, second) if number % 2 == 0 else (second, first)
            each.append(math.log(before / after * speedup))
        ratios.append(statistics.fmean(each))
    return ratios


def _decided(ratios: Sequence[float]) -> Call:
    """The call on pairs that come one by one, up to those that the time was enough for."""
    for look in looks(len(ratios)):
        call = estimate(ratios[:look], confidence_for(1), 0.03).call
        if call is not Call.UNDECIDED:
            return call
    if len(ratios) < FEWEST:
        return Call.UNDECIDED
    return estimate(ratios, confidence_for(1), 0.03, last=True).call


def _within(given: argparse.Namespace) -> None:
    """Verifications of a minute or so, at random places of each trace."""
    draw = random.Random(given.budget)
    traces = [values for path in given.files for values in _series(path)]
    traces = [v for v in traces if len(v) * _CHUNK > given.budget + 20]
    replayed = _duet_within if given.design == "duet" else _pairs_within
    for speedup in (1.0, 1.1, 1.25, 2.0):
        calls: Counter[str] = Counter()
        for values in traces:
            for _ in range(given.count):
                at = draw.random() * (len(values) * _CHUNK - given.budget - 15)
                ratios = replayed(values, at, given.budget, draw)
                calls[_decided([r + math.log(speedup) for r in ratios]).value] += 1
        whole = max(1, calls.total())
        shares = ", ".join(f"{call}: {n / whole:.1%}" for call, n in sorted(calls.items()))
        print(f"speedup {speedup}: {whole} verifications of {given.budget:.0f} s; {shares}")


_CHUNK = 0.5
"""Seconds of one value of a trace. Shorter turns see less noise than they would in truth."""
_RESTART, _SIDE, _PROCESS = 4.0, 2.0, 0.015
"""Seconds of a start of one program and of what is measured of each side; and the noise of a
process."""


def _pairs_within(
    values: Sequence[float], at: float, budget: float, draw: random.Random
) -> list[float]:
    ratios: list[float] = []
    for number in range(min(12, int(budget / (2 * (_RESTART + _SIDE))))):
        runs = []
        for _ in range(2):
            at += _RESTART
            runs.append(math.log(_chunk(values, at, _SIDE)) + draw.gauss(0, _PROCESS))
            at += _SIDE
        ratio = runs[0] - runs[1]
        ratios.append(ratio if number % 2 == 0 else -ratio)
    return ratios


def _duet_within(
    values: Sequence[float], at: float, budget: float, draw: random.Random
) -> list[float]:
    ratios: list[float] = []
    turn = _SIDE / SLICES
    for _ in range(min(12, int(budget / (1.5 * _RESTART + 2 * _SIDE)))):
        at += 1.5 * _RESTART
        total = 0.0
        for number in range(SLICES):
            for sign in (1, -1) if number % 2 == 0 else (-1, 1):
                total += sign * math.log(_chunk(values, at, turn))
                at += turn
        ratios.append(total / SLICES + draw.gauss(0, _PROCESS * math.sqrt(2)))
    return ratios


def _chunk(values: Sequence[float], at: float, seconds: float) -> float:
    first = int(at / _CHUNK)
    return statistics.fmean(values[first : max(first + 1, math.ceil((at + seconds) / _CHUNK))])


class Machine(NamedTuple):
    """The noise of a machine, in logarithms of the seconds of a step, unless said otherwise."""

    drift: float
    slowness: float
    """Seconds after which the drift has forgotten."""
    process: float
    """What differs from process to process."""
    step: float
    stalled: float
    """The share of steps that stall, and how many times longer those take."""
    stall: float
    bursts: float
    """Bursts of other load a second, how many seconds they last, and what they cost."""
    burst: float
    cost: float


MACHINES = {
    "quiet": Machine(0.005, 120, 0.005, 0.05, 0.005, 3, 0, 1, 1),
    "shared": Machine(0.03, 120, 0.01, 0.10, 0.01, 4, 1 / 900, 60, 1.3),
    "noisy": Machine(0.10, 120, 0.03, 0.30, 0.02, 4, 1 / 600, 60, 1.5),
    "hostile": Machine(0.25, 60, 0.15, 0.50, 0.02, 4, 1 / 180, 40, 2.0),
}
_START, _WINDOW, _TURN = 10.0, 10.0, 2.0
"""Seconds of a start, of the window of a run, and of a turn."""


def _simulate(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name, machine in MACHINES.items():
        for speedup in (1.0, 1.05, 1.1, 1.2):
            draw = random.Random(f"{name}{speedup}")
            calls: dict[str, int] = {}
            for _ in range(given.count):
                drawn = _SIMULATED[given.design](machine, draw)
                call = _decided([r + math.log(speedup) for r in drawn]).value
                calls[call] = calls.get(call, 0) + 1
            shares = {call: round(n / given.count, 4) for call, n in sorted(calls.items())}
            yield {"machine": name, "design": given.design, "speedup": speedup, **shares}


def _simulated_pairs(machine: Machine, draw: random.Random) -> list[float]:
    """The log ratios of twelve pairs of equal programs."""
    each = _START + _WINDOW
    load = _load(machine, int(24 * each) + 2, draw)
    runs = [
        draw.gauss(0, machine.process) + _mean(machine, load, n * each + _START, _WINDOW, draw)
        for n in range(24)
    ]
    rows = [(n, runs[2 * n] - runs[2 * n + 1]) for n in range(12)]
    return [ratio if n % 2 == 0 else -ratio for n, ratio in rows]


def _simulated_duet(machine: Machine, draw: random.Random) -> list[float]:
    """The log ratios of twelve restarts of equal programs."""
    length = _START + 2 * SLICES * _TURN
    load = _load(machine, int(12 * length) + 2, draw)
    ratios = []
    for restart in range(12):
        at = restart * length + _START
        total = 0.0
        for turn in range(SLICES):
            for sign in (1, -1) if turn % 2 == 0 else (-1, 1):
                total += sign * _mean(machine, load, at, _TURN, draw)
                at += _TURN
        own = draw.gauss(0, machine.process) - draw.gauss(0, machine.process)
        ratios.append(own + total / SLICES)
    return ratios


_SIMULATED = {"pairs": _simulated_pairs, "duet": _simulated_duet}


def _load(machine: Machine, seconds: int, draw: random.Random) -> list[float]:
    """The drift of each second, with bursts."""
    keep = math.exp(-1 / machine.slowness)
    now, found = draw.gauss(0, machine.drift), []
    for _ in range(seconds):
        found.append(now)
        now = keep * now + draw.gauss(0, machine.drift * math.sqrt(1 - keep * keep))
    for second in range(seconds):
        if draw.random() < machine.bursts:
            more = math.log1p((machine.cost - 1) * 2 * draw.random())
            end = second + 1 + int(draw.expovariate(1 / machine.burst))
            for later in range(second, min(seconds, end)):
                found[later] += more
    return found


def _mean(
    machine: Machine, load: Sequence[float], at: float, seconds: float, draw: random.Random
) -> float:
    """The logarithm of the mean step of a stretch; eight steps a second."""
    total, count = 0.0, int(seconds * 8)
    for number in range(count):
        value = load[int(at + number / 8)] + draw.gauss(0, machine.step)
        total += math.exp(value) * (machine.stall if draw.random() < machine.stalled else 1.0)
    return math.log(total / count)


if __name__ == "__main__":
    main()
