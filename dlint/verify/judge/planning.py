"""How two variants are compared: by what number, in which window, within the time there is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from dlint.reports.measured import GAINED
from dlint.verify.judge.sequence import START
from dlint.verify.judge.statistics import CONFIDENCE, FEWEST, foreseen
from dlint.verify.judge.whole import Modelled
from dlint.verify.measure import pairs, windows
from dlint.verify.measure.pairs import FEWEST_APART, Measure
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.options import Options
from dlint.verify.plan.claims import Observable
from dlint.verify.run.runner import RunConfig

_LEAST_NOISE = 0.01
"""What pairs scatter by at least, as a share."""
_USUAL = 4
"""Pairs that most calls need: the windows are as long as so many leave time for."""
_BY_TURNS = frozenset({Observable.STEP, Observable.EPOCH})


class Comparing(NamedTuple):
    """How two sides are compared."""

    observable: Observable
    measure: Measure
    setting: RunConfig
    turns: RunConfig | None = None
    model: Modelled | None = None
    """How an epoch follows from a step, where that is known and epochs are not run whole."""
    boundaries: RunConfig | None = None
    """The runs that are to show that, where they can begin with the first restarts."""

    @property
    def unit(self) -> str:
        """What the numbers of pairs are: only such of one kind stand beside each other."""
        names = {pairs.STEP: "step", pairs.EPOCH: "epoch", pairs.BOUNDARY: "boundary"}
        return names.get(self.measure, self.observable.value)

    @property
    def gained(self) -> str:
        """What is faster, in words."""
        whole = self.model is not None or self.measure in {pairs.EPOCH, pairs.BOUNDARY}
        return GAINED[(Observable.EPOCH if whole else self.observable).value]


class Planner:
    """Plans comparisons of variants whose loaders are known."""

    def __init__(
        self, known: windows.Pace, loaders: Sequence[LoaderRecord], options: Options, end: float
    ) -> None:
        """`end`: when all tests have to be through, on the monotonic clock."""
        self._known, self._loaders, self._options, self._end = known, loaders, options, end
        self.may_duet = options.room > 1 and options.design == "duet"
        """Until a duet fails: there may be no room for both, or one of something they share."""

    def shortest(self, observable: Observable) -> float:
        """Seconds of the shortest comparison that says something."""
        plan = self.windows(observable, 0.0)
        each = self.seconds(plan.setting, plan.turns)
        return each * (FEWEST if plan.turns is not None else FEWEST_APART)

    def outlook(self, observable: Observable, seconds: float, noise: float) -> str:
        """What a comparison can tell in some seconds, on a machine as noisy as that. Beside others,
        the noise of one look says little of how far starts lie apart, and each takes longer."""
        plan, options = self.windows(observable, seconds), self._options
        fewest = FEWEST if plan.turns is not None else FEWEST_APART
        fitting = int(seconds / self.seconds(plan.setting, plan.turns))
        count = max(fewest, min(options.pairs, fitting))
        quiet = self._found(count, max(noise, _LEAST_NOISE))
        if not options.busy:
            return f"about {count} pairs, which tell a speedup from {quiet:.2f}x on"
        fewer = max(fewest, count // 2)
        found = self._found(fewer, max(noise, START))
        pairs = f"{count}" if fewer == count else f"{fewer} to {count}"
        return (
            f"{pairs} pairs, which tell a speedup from {quiet:.2f}x on where nothing disturbs "
            f"them, and from about {found:.2f}x on on a machine as busy as this"
        )

    def _found(self, pairs: int, noise: float) -> float:
        """The smallest speedup that so many pairs find."""
        confidence = self._options.confidence or CONFIDENCE
        return foreseen(pairs, noise, confidence, self._options.effect)

    def windows(self, observable: Observable, budget: float) -> Comparing:
        """The number that runs are judged by, the window, and the turns where both may live."""
        known, loaders, asked = self._known, self._loaders, self._options.window
        at_once = self.may_duet and observable in _BY_TURNS
        couples = self.couples if at_once else 0
        seconds = windows.window_seconds(known, _USUAL, budget, couples=couples)
        if observable is Observable.MEMORY:  # the queue need only be full
            setting = windows.timed(known, loaders, asked, seconds, queues=1)
            return Comparing(observable, pairs.MEMORY, setting._replace(memory=True))
        if observable is Observable.EPOCH:
            cut = windows.of_epochs(known, loaders, seconds)
            if cut is not None:
                turns = windows.epoch_turns(known, loaders, seconds) if at_once else None
                turns = self._affordable(cut, turns)
                return Comparing(observable, pairs.BOUNDARY, cut, turns)
            observable = Observable.STEP
        if observable is Observable.STEP and asked == windows.Asked():
            whole = windows.whole_epochs(known, loaders, budget / _USUAL / 2)
            if whole is not None:
                turns = self._affordable(whole[0], whole[1] if at_once else None)
                return Comparing(observable, pairs.EPOCH, whole[0], turns)
        setting = windows.timed(known, loaders, asked, seconds)
        if observable is Observable.FIRST_BATCH:
            return Comparing(observable, pairs.FIRST_BATCH, setting)
        turns = windows.turns(setting, known, loaders) if at_once else None
        return Comparing(observable, pairs.STEP, setting, self._affordable(setting, turns))

    def _affordable(self, setting: RunConfig, turns: RunConfig | None) -> RunConfig | None:
        """The turns; None where these take too long for the fewest pairs, and runs that follow each
        other take less: behind a long queue, each turn begins with many steps that do not count."""
        if turns is None or not windows.suffice(self._known, turns):
            return None
        both = FEWEST * self.seconds(setting, turns)
        apart = FEWEST_APART * self.seconds(setting, None)
        return None if both > self._end - time.monotonic() and apart < both else turns

    def seconds(self, setting: RunConfig, turns: RunConfig | None) -> float:
        """How long a pair will take, by what is known of the script as it is."""
        if turns is None:
            return windows.seconds_apart(self._known, setting)
        return windows.seconds_at_once(self._known, turns, self.couples)

    @property
    def couples(self) -> int:
        """How many restarts of both begin together, as a rule: a call takes so many at least."""
        return min(FEWEST, self.room)

    @property
    def room(self) -> int:
        """How many couples may live at once."""
        return max(1, self._options.room // 2)

    def affords(self, beside: RunConfig, plan: Comparing) -> bool:
        """Whether there is time for a couple that runs once, beside the fewest restarts."""
        own = self._known.startup + 2 * beside.steps * self._known.step
        needed = FEWEST * self.seconds(plan.setting, plan.turns) + own
        return self._end - time.monotonic() > needed
