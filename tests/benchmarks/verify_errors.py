"""How often `dlint verify` calls a program different from itself, and what it finds.

    python tests/benchmarks/verify_errors.py live OUT --count 20 --budget 60
    python tests/benchmarks/verify_errors.py record OUT --runs 60
    python tests/benchmarks/verify_errors.py trace OUT --seconds 150
    python tests/benchmarks/verify_errors.py power OUT --count 5
    python tests/benchmarks/verify_errors.py replay OUT...
    python tests/benchmarks/verify_errors.py simulate OUT --count 1500

`live` verifies scripts against themselves, `power` against versions whose samples cost less.
`record` runs one script many times. `trace` runs it once, for long, and cuts its steps into windows
of half a second: they stand for runs, but lack what differs from process to process. `replay`
applies the decision rule to every stretch of such a series, and to the series with a speedup put
in. `simulate` draws the noise of four kinds of machines instead, with what differs from process to
process. Each line of OUT is one verification, series or simulation. `--design duet` does all of it
with two variants that live at once and take turns.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dlint.source import Sources
from dlint.verify.candidates import from_patch
from dlint.verify.duet import SLICES
from dlint.verify.program import Program
from dlint.verify.results import Outcome
from dlint.verify.runner import Runner, Setting, Variant
from dlint.verify.session import Options, Session
from dlint.verify.statistics import Call, confidence_for, estimate, looks
from dlint.verify.windows import step_times

_SCRIPT = """
import time

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Rows(Dataset):
    def __len__(self):
        return {length}

    def __getitem__(self, index):
        {work}
        return torch.full((64,), float(index)), index % 3


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(64, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Rows(), 16, shuffle=True, num_workers={workers})
    for epoch in range(1000):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""
_SLEEP = "time.sleep(0.001)"
_SORT = "torch.rand(6000).sort()"
SCRIPTS = {
    "sleep, no workers": {"work": _SLEEP, "workers": 0, "length": 100_000},
    "sleep, one worker, short epochs": {"work": _SLEEP, "workers": 1, "length": 800},
    "compute, no workers": {"work": _SORT, "workers": 0, "length": 100_000},
    "compute, one worker": {"work": _SORT, "workers": 1, "length": 100_000},
}


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=_COMMANDS)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--design", choices=("duet", "pairs"), default="duet")
    given = parser.parse_args()
    if given.command == "replay":
        _replay(given.files, given.design)
        return
    lines = _COMMANDS[given.command](given)
    with given.files[0].open("a", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
            file.flush()
            print({k: v for k, v in line.items() if k != "values"}, flush=True)


def _live(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for number in range(given.count):
        name = list(SCRIPTS)[number % len(SCRIPTS)]
        yield _verified(name, _text(name), None, given)


def _power(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A cost of each sample whose removal is worth 1.25x and 2x of the whole step."""
    for speedup in (1.25, 2.0):
        for _ in range(given.count):
            before = _text("sleep, no workers", f"time.sleep({0.001 * speedup})")
            after = _text("sleep, no workers")
            yield _verified(f"cost worth {speedup}x", before, after, given)


def _text(name: str, work: str | None = None) -> str:
    facts = dict(SCRIPTS[name])
    if work is not None:
        facts["work"] = work
    return _SCRIPT.format(**facts)


def _verified(
    name: str, text: str, changed: str | None, given: argparse.Namespace
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder).resolve() / "train.py"
        script.write_text(text)
        tried = [] if changed is None else [from_patch("cheaper", {str(script): changed})]
        options = Options(budget=given.budget, self_test=not tried, design=given.design)
        begun = time.time()
        with Runner(Program(script), script.parent, {}, 120.0, script.parent) as runner:
            outcome = Session(runner, tried, Sources(), options, lambda _: None).run()
    return {"design": given.design, **_line(name, outcome, time.time() - begun)}


def _line(name: str, outcome: Outcome, seconds: float) -> dict[str, Any]:
    (result,) = outcome.results
    found = result.estimate
    values = [] if result.measured is None else [value for _, value in result.measured.order]
    return {
        "script": name,
        "verdict": result.verdict.value,
        "why": result.why,
        "speedup": None if found is None else round(found.speedup, 4),
        "interval": None if found is None else [round(found.low, 4), round(found.high, 4)],
        "pairs": 0 if found is None else found.pairs,
        "spread": None if found is None else round(found.spread, 4),
        "seconds": round(seconds),
        "values": values if result.name == "itself" else [],
    }


def _record(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder).resolve() / "train.py"
            script.write_text(_text(name))
            with Runner(Program(script), script.parent, {}, 120.0, script.parent) as runner:
                variant = Variant("x", {str(script): script.read_bytes()})
                runs = (runner.run(variant, Setting(10, 80)) for _ in range(given.runs))
                values = [run.step_seconds for run in runs if run.step_seconds is not None]
        yield {"script": name, "values": values}


def _trace(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder).resolve() / "train.py"
            script.write_text(_text(name))
            setting = Setting(10, 10**9, seconds=given.seconds, limit=given.seconds + 60)
            with Runner(Program(script), script.parent, {}, 120.0, script.parent) as runner:
                run = runner.run(Variant("x", {str(script): script.read_bytes()}), setting)
        steps = step_times(run)
        size = max(8, round(0.5 / statistics.median(steps)))
        chunks = [steps[at : at + size] for at in range(0, len(steps) - size, size)]
        yield {"script": name, "values": [round(statistics.fmean(c), 7) for c in chunks]}


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
    for look in looks(len(ratios)):
        call = estimate(ratios[:look], confidence_for(1), 0.03).call
        if call is not Call.UNDECIDED:
            return call
    return Call.UNDECIDED


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


_COMMANDS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "live": _live,
    "record": _record,
    "trace": _trace,
    "power": _power,
    "simulate": _simulate,
    "replay": lambda given: iter(()),
}


if __name__ == "__main__":
    main()
