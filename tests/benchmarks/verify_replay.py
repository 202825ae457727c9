"""The decision rule of `dlint verify`, applied to programs of known truth and to recorded noise.

    python tests/benchmarks/verify_replay.py truth OUT --count 1000
    python tests/benchmarks/verify_replay.py errors OUT --count 2000
    python tests/benchmarks/verify_replay.py power OUT --count 500
    python tests/benchmarks/verify_replay.py replay TRACES...

`truth` verifies each program of tests/verify/truth.py that often, until the call is clear or the
pairs are used up, and counts how often the interval held the truth. `errors` verifies programs
against themselves on machines of four kinds; `again` counts those of which one of ten further days
of four pairs each, told in one with those before, called them different. `power` counts what was
found of effects, and by how many pairs. TRACES are what `verify_errors.py trace` wrote: `replay`
goes over every stretch of a series, with and without a speedup put in; what differs from process to
process is left out there. Each line of OUT is one program or machine, with what held.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from dlint.verify.judge.statistics import (  # noqa: E402
    CONFIDENCE,
    FEWEST,
    Decision,
    Estimate,
    Pair,
    estimate,
)
from dlint.verify.measure.interleaved import SLICES  # noqa: E402
from dlint.verify.measure.pairs import FEWEST_APART  # noqa: E402
from tests.verify.truth import (  # noqa: E402
    PROGRAMS,
    Clock,
    Machine,
    Program,
    apart,
    constant,
    duet,
)

MACHINES = {
    "quiet": Machine(drift=0.005, slowness=120, process=0.005),
    "shared": Machine(drift=0.03, slowness=120, process=0.01, bursts=1 / 900, burst=60, cost=1.3),
    "noisy": Machine(drift=0.1, slowness=120, process=0.03, bursts=1 / 600, burst=60, cost=1.5),
    "hostile": Machine(drift=0.25, slowness=60, process=0.15, bursts=1 / 180, burst=40, cost=2.0),
}
_T = TypeVar("_T")
_PAIRS = 12
_DAYS, _A_DAY = 11, 4
_EFFECT = 0.03
_DESIGNS = {"duet": (duet, FEWEST), "pairs": (apart, FEWEST_APART)}
_WRONG = frozenset({Decision.FASTER, Decision.SLOWER})


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=(*_COMMANDS, "replay"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", default="", help="machines or programs with this in their names")
    given = parser.parse_args()
    if given.command == "replay":
        _replay(given.files)
        return
    with given.files[0].open("a", encoding="utf-8") as file:
        for line in _COMMANDS[given.command](given.count, given.only):
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(line, flush=True)


def _truth(count: int, only: str) -> Iterator[dict[str, Any]]:
    for name, program in _named(PROGRAMS, only):
        for design in _DESIGNS:
            found = [
                _verified(program, design, random.Random(f"{name}{design}{number}"))
                for number in range(count)
            ]
            held = sum(known.low <= program.truth <= known.high for known in found)
            yield {
                "program": name,
                "design": design,
                "count": count,
                "truth": round(program.truth, 4),
                "held": round(held / count, 4),
                **_shares(found),
            }


def _errors(count: int, only: str) -> Iterator[dict[str, Any]]:
    for name, machine in _named(MACHINES, only):
        program = Program(constant(0.01, 0.1), constant(0.01, 0.1), 1.0, machine)
        for design in _DESIGNS:
            draws = [random.Random(f"{name}{design}{number}") for number in range(count)]
            found = [_verified(program, design, draw) for draw in draws]
            again = Counter(_on_other_days(program, design, draw) for draw in draws)
            yield {
                "machine": name,
                "design": design,
                "count": count,
                **_shares(found),
                "again": {call.value: round(n / count, 4) for call, n in again.items()},
            }


def _power(count: int, only: str) -> Iterator[dict[str, Any]]:
    for name, machine in _named(MACHINES, only):
        for speedup in (1.05, 1.1, 1.25, 2.0):
            program = Program(constant(0.01 * speedup, 0.1), constant(0.01, 0.1), speedup, machine)
            for design in _DESIGNS:
                draw = random.Random(f"{name}{speedup}")
                found = [_verified(program, design, draw) for _ in range(count)]
                yield {"machine": name, "speedup": speedup, "design": design, **_shares(found)}


_COMMANDS: dict[str, Callable[[int, str], Iterator[dict[str, Any]]]] = {
    "truth": _truth,
    "errors": _errors,
    "power": _power,
}


def _named(things: Mapping[str, _T], only: str) -> Iterator[tuple[str, _T]]:
    return ((name, thing) for name, thing in things.items() if only in name)


def _shares(found: Sequence[Estimate]) -> dict[str, Any]:
    calls = Counter(known.call.value for known in found)
    shares = {call: round(number / len(found), 4) for call, number in sorted(calls.items())}
    return {"calls": shares, "pairs": round(sum(known.pairs for known in found) / len(found), 1)}


def _verified(program: Program, design: str, draw: random.Random) -> Estimate:
    """One verification, to a clear call or the last pair."""
    clock, pair = Clock(program.machine, draw), _DESIGNS[design][0]
    return _decided([], lambda number: pair(program, clock, draw, number), design, _PAIRS)


def _decided(
    earlier: list[Pair], following: Callable[[int], Pair], design: str, most: int
) -> Estimate:
    """Go on with pairs until they are clear; those are left in `earlier`."""
    for number in range(most):
        earlier.append(following(number))
        known = estimate(earlier, CONFIDENCE, _EFFECT)
        if len(earlier) >= _DESIGNS[design][1] and known.call is not Decision.UNDECIDED:
            break
    return known


def _on_other_days(program: Program, design: str, draw: random.Random) -> Decision:
    """A verification that goes on every day as long as nothing is clear."""
    pairs: list[Pair] = []
    for day in range(_DAYS):
        clock = Clock(program.machine, draw)
        clock.go(draw.random())
        known = _decided(pairs, _of_day(program, design, clock, draw, day), design, _A_DAY)
        if known.call in _WRONG:
            break
    return known.call


def _of_day(
    program: Program, design: str, clock: Clock, draw: random.Random, day: int
) -> Callable[[int], Pair]:
    pair = _DESIGNS[design][0]
    return lambda number: pair(program, clock, draw, number)._replace(day=day)


def _replay(files: Sequence[Path]) -> None:
    """Every stretch of the series. A duet takes 16 chunks a restart, and there is one process for
    all: what differs between processes is left out, so its figures are better than in truth."""
    series = [values for path in files for values in _series(path)]
    for design in _DESIGNS:
        for speedup in (1.0, 1.1, 1.25, 2.0):
            found = [
                _decided([], partial(_cut, chunks, design, speedup), design, _PAIRS)
                for values in series
                for chunks in _stretches(values, design)
            ]
            print(f"{design}, speedup {speedup}: {len(found)} verifications, {_shares(found)}")


def _stretches(values: Sequence[float], design: str) -> Iterator[Sequence[float]]:
    many = 2 * _PAIRS * (SLICES if design == "duet" else 1)
    for start in range(len(values) - many + 1):
        yield values[start : start + many]


def _series(path: Path) -> Iterator[list[float]]:
    for line in path.read_text("utf-8").splitlines():
        values = json.loads(line).get("values") or []
        if len(values) >= 2 * _PAIRS:
            yield values


def _cut(values: Sequence[float], design: str, speedup: float, number: int) -> Pair:
    """The chunks of a pair, in the order ABBA, with those of the second side made faster."""
    turns = SLICES if design == "duet" else 1
    sides: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns):
        at = 2 * (number * turns + turn)
        order = (0, 1) if (turn + number) % 2 == 0 else (1, 0)
        for side, value in zip(order, values[at : at + 2], strict=True):
            sides[side].append(value if side == 0 else value / speedup)
    return Pair(tuple(sides[0]), tuple(sides[1]))


if __name__ == "__main__":
    main()
