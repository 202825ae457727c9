"""Whether a budget can be enough, said before anything is run: by what holds for every script, and
by what earlier runs of this one took."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from contextlib import suppress
from platform import node

from dlint.verify.judge.kept import Kept, Needs
from dlint.verify.judge.planning import Planner
from dlint.verify.measure.windows import Pace
from dlint.verify.options import Options
from dlint.verify.plan.budget import Budget
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.claims import Observable
from dlint.verify.plan.order import LOOKED_AT
from dlint.verify.plan.target_script import TargetScript
from dlint.workspace.errors import UsageError

_ANY = Pace(0.5, 1e-5, None)
"""What no script goes below: a Python that imports torch takes longer to begin."""
_LOOKS, _TURNS = 2, 3
_SURE = 0.9
"""The share of what an earlier run took under which the budget is refused."""
UNKNOWN = "how long this script takes to begin is not known yet: a first look will tell"


class Foresight:
    """What is known of a verification before it begins, and what later ones are told of it."""

    def __init__(
        self,
        kept: Kept,
        program: TargetScript,
        tried: Sequence[Candidate],
        options: Options,
        budget: Budget,
    ) -> None:
        self._kept, self._options, self._budget = kept, options, budget
        self._key = _key(program, tried, options)
        self._timed = {c.observable for c in tried} - LOOKED_AT
        if options.self_test:
            self._timed = {Observable.STEP}

    def check(self) -> str | None:
        """What to say where nothing is known of the script. Raises UsageError for a budget that is
        not enough."""
        seconds = self._budget.seconds
        least = self._least()
        if seconds < least:
            fits = self._budget.enough_for(least)
            raise UsageError(
                f"`--budget {seconds:.0f}s` is too small for any script: two looks and the fewest "
                "starts of both sides take longer; what fits at the least is "
                f"`--budget {fits:.0f}s`"
            )
        known = self._kept.needs(self._key)
        if known is None:
            return UNKNOWN if self._timed else None
        fitting = self._fitting(known, seconds)
        if fitting is None:
            return None
        raise UsageError(
            f"`--budget {seconds:.0f}s` is too small: on {known.when[:10]} this script took "
            f"{known.taken} to its first batch; what fits is `--budget {fitting:.0f}s` "
            "(`--no-save` asks nothing of earlier runs)"
        )

    def _fitting(self, known: Needs, seconds: float) -> float | None:
        """The budget that fits in place of one; None where that does. A larger one has longer
        looks."""
        if not known.is_whole:
            return Budget(known.budget).smallest_guess if seconds <= known.budget else None
        if seconds >= _SURE * self._taking(known, seconds):
            return None
        fits = seconds
        for _ in range(_TURNS):
            fits = self._budget.enough_for(self._taking(known, fits))
        return fits

    def _taking(self, known: Needs, seconds: float) -> float:
        """What the verification would take with another budget than it had."""
        longest, longest_then = self._look(seconds), self._look(known.budget)
        was_cut = known.look >= _SURE * longest_then
        look = longest if was_cut else min(longest, known.look)
        return known.seconds + _LOOKS * (look - min(longest_then, known.look))

    def learn(self, startup: float, look: float, needed: float) -> None:
        """Keep what the looks showed: how long the script takes to begin, that a look trained for
        so many seconds, and that so many more are needed."""
        gone = time.monotonic() - self._budget.began
        self._add(Needs(startup, look, gone + needed, self._budget.seconds, is_whole=True))

    def learn_unfinished(self) -> UsageError:
        """Keep that the script did not come to the end of a look. Returns what to raise."""
        seconds = self._budget.seconds
        self._add(Needs(seconds, 0.0, seconds, seconds, is_whole=False))
        return UsageError(
            f"`--budget {seconds:.0f}s` is too small: this script did not come to the end of a "
            f"look at it; try `--budget {self._budget.smallest_guess:.0f}s`"
        )

    def _add(self, found: Needs) -> None:
        self._kept.add_needs(self._key, found)

    def _look(self, budget: float) -> float:
        """The longest training of a look."""
        return Budget(budget, 0.0).of_a_look(self._options.look_seconds)

    def _least(self) -> float:
        """Seconds that no script goes below."""
        looks = _LOOKS * _ANY.startup
        ends = time.monotonic() + self._budget.seconds
        options = [self._options._replace(room=room) for room in (1, 6)]
        planners = [Planner(_ANY, (), each, ends) for each in options]
        timed = (planner.shortest(kind) for planner in planners for kind in self._timed)
        return looks + min(timed, default=0.0)


def _key(program: TargetScript, tried: Sequence[Candidate], options: Options) -> str:
    """What such figures hold for: the command, the script's text, the machine, and what is asked
    of it."""
    text = ""
    with suppress(OSError):
        text = hashlib.sha256(program.script.read_bytes()).hexdigest()
    kinds = sorted({candidate.observable.value for candidate in tried})
    asked = (options.self_test, options.where_it_waits, options.design, options.window)
    return repr((program.command(), text, node(), kinds, asked))
