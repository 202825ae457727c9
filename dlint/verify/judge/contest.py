"""Many variants of one kind: in each round they meet two by two, and the better half goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dlint.verify.judge.failures import exception_of
from dlint.verify.judge.planning import Comparing, Planner
from dlint.verify.judge.statistics import CONFIDENCE, Pair
from dlint.verify.measure import pairs, windows
from dlint.verify.measure.pairs import Measured, Pairs, Rule
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.options import Options
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.claims import Observable
from dlint.verify.report.watching import Observer
from dlint.verify.run.runner import Run, Runner, Variant

_TURNS = 4
"""Turns of each side of a duet: who is better is told by who wins, and by how much later."""
_EQUAL = 0.01
"""The share by which what takes more must be faster."""


class Entrant(NamedTuple):
    """What takes part."""

    candidate: Candidate
    loader: LoaderRecord
    """The loader that feeds the training, with what it is given."""
    seconds: float
    """A batch, as far as is foreseen."""
    cost: int
    """Of two that are as fast, the one that costs less goes on."""


@dataclass(slots=True)
class Standing:
    """What became of an entrant."""

    entrant: Entrant
    met: str = ""
    """The name of the one that it lost to; empty where it lost to none."""
    ratio: float | None = None
    """How many times as long as that one it took."""
    failed: str = ""
    """Why it cannot be compared."""
    rounds: int = 0
    """How many it won."""


class Contest(NamedTuple):
    """What a knock-out needs to know."""

    runner: Runner
    first: Run
    """A run of the script as it is."""
    startup: float
    """Seconds to its first batch."""
    options: Options
    observer: Observer
    variant: Callable[[Sequence[Candidate]], Variant]
    end: float
    """When everything has to be through, on the monotonic clock."""

    def play(self, entrants: Sequence[Entrant], deadline: float) -> list[Standing]:
        """Let them meet until one is left or the time is over; the best comes first. Where there is
        no time, those that promise more go on."""
        standings = [Standing(entrant) for entrant in entrants]
        rest = list(standings)
        while len(rest) > 1:
            rest = self._round(rest, deadline)
        return sorted(standings, key=lambda s: (bool(s.failed), s not in rest, -s.rounds))

    def _round(self, standing: Sequence[Standing], deadline: float) -> list[Standing]:
        """The winners; those that promise most and least meet first."""
        ranked = sorted(standing, key=lambda s: s.entrant.seconds)
        middle = len(ranked) // 2
        going = ranked[middle : len(ranked) - middle]
        for better, worse in zip(ranked[:middle], ranked[::-1], strict=False):
            going.append(self._meet(better, worse, deadline))
        return going

    def _meet(self, one: Standing, two: Standing, deadline: float) -> Standing:
        found = self._measured(one.entrant, two.entrant, deadline)
        if found is None or not (found.pairs or found.failed or found.broken):
            return self._passed(one, two, None)
        if found.broken is not None:
            one.failed = exception_of(found.broken)
            return self._passed(two, one, None)
        if found.failed is not None:
            two.failed = exception_of(found.failed)
            return self._passed(one, two, None)
        ratio = _ratio(found.pairs)
        cheaper_is_two = two.entrant.cost < one.entrant.cost
        wins = ratio > 1 - _EQUAL if cheaper_is_two else ratio > 1 + _EQUAL
        return self._passed(two, one, ratio) if wins else self._passed(one, two, 1 / ratio)

    def _passed(self, winner: Standing, loser: Standing, ratio: float | None) -> Standing:
        winner.rounds += 1
        loser.met, loser.ratio = winner.entrant.candidate.name, ratio
        return winner

    def _measured(self, one: Entrant, two: Entrant, deadline: float) -> Measured | None:
        """One restart of both; None where there is no time for it."""
        known = windows.pace(self.first, self.startup)
        known = known._replace(step=max(1e-5, one.seconds, two.seconds))
        planner = Planner(known, [one.loader, two.loader], self.options, self.end)
        plan = _short(planner.windows(Observable.STEP, 0.0))
        expected = planner.seconds(plan.setting, plan.turns)
        if time.monotonic() + expected > deadline:
            return None
        self.observer.doing(f"trying: {one.candidate.name} against {two.candidate.name}")
        sides = self.variant([one.candidate]), self.variant([two.candidate])
        timed = Pairs(self.runner, *sides, plan.setting, plan.measure, turns=plan.turns)
        rule = Rule(CONFIDENCE, self.options.effect, 1, deadline, end=self.end, expected=expected)
        return timed.measure(rule)


def _short(plan: Comparing) -> Comparing:
    """Fewer turns, where these hold steps."""
    if plan.turns is None or plan.measure is not pairs.STEP:
        return plan
    return plan._replace(turns=plan.turns._replace(turns=_TURNS))


def _ratio(found: Sequence[Pair]) -> float:
    """How many times as long the first side took as the second."""
    return sum(sum(p.before) for p in found) / sum(sum(p.after) for p in found)
