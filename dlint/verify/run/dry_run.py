"""Runs that are looked at, not timed: do they fail, what do the batches hold, which faults show."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.compare import Equivalence, Faults, compare, faults, fixed_fault
from dlint.verify.measure.interleaved import room
from dlint.verify.report.watching import Observer
from dlint.verify.run import terminal
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant

_SEED = 20_240_229
_CAP = 6
"""Batches of each epoch where only the order of the epochs is looked at."""

NOT_REACHED = (
    "the measurement did not reach the script: it is started with `-I`, `-E` or `-S`, or by a "
    "launcher that drops PYTHONPATH"
)

NO_LOADER = (
    "no DataLoader here: the script trains without one of torch's, so there is no loading to "
    "measure (batches made by its own code, DALI, FFCV and Ray are not observed)"
)


class Look(NamedTuple):
    """What a variant was seen to do beside the baseline."""

    run: Run
    equivalence: Equivalence | None
    """None when it failed."""
    fixed: str | None
    """The fault that is gone."""
    before: Faults | None = None
    """The faults of the baseline, as far as they were seen."""


class DryRunner:
    """Looks at variants, one run each and more where the first is not clear."""

    def __init__(
        self,
        runner: Runner,
        steps: int,
        seconds: float,
        observer: Observer,
        ends: float = math.inf,
    ) -> None:
        """Each look takes so many steps or seconds; none goes on behind `ends`, on the monotonic
        clock."""
        self._runner = runner
        self._observer = observer
        self._setting = RunConfig(
            0,
            steps,
            seconds=seconds,
            look=True,
            seed=_SEED,
            memory=True,
            limit=seconds + 120,
            ends=ends,
        )
        self._baseline: Variant | None = None
        self.first: Run | None = None
        """The first run of the baseline."""
        self.room = 1
        """How many such programs may live at once."""
        self._again: Run | None = None
        self._aligned: Run | None = None
        self._capped: Run | None = None
        self._ahead: dict[str, Run] = {}
        """Runs of variants that were made beside others, by their names."""

    def begin(self, baseline: Variant, seen: Callable[[Run], None]) -> Run:
        """Look at the baseline; `seen` is called where it does not fail. Raises
        UnmeasurableError."""
        self._baseline = baseline
        self._again = self._aligned = self._capped = None
        self._observer.doing(f"looking at the script {baseline.name}")
        self.first = self._runner.run(baseline, self._setting)
        if self.first.code and terminal.is_asked_for(self.first.stderr):
            self._observer.doing("it asks for a terminal; looking again, with one")
            self._runner.terminal = True
            self.first = self._runner.run(baseline, self._setting)
        if self.first.loaderless:
            raise UnmeasurableError(NO_LOADER)
        if not self.first.injected and (self.first.over or not self.first.failed):
            raise UnmeasurableError(NOT_REACHED)
        if not self.first.failed:
            _check_observed(self.first)
            self.room = room(self.first)
            seen(self.first)
        return self.first

    def repeat(self, coming: Variant | None = None) -> None:
        """Look at the baseline once more; beside it at the variant that is asked for next."""
        assert self._baseline is not None
        self._observer.doing("looking at it once more, with the same seed")
        again = self._run(self._baseline, coming)
        if again.failed and self._runner.layers:
            self._runner.layers.clear()  # it may not find its own outputs
            again = self._runner.run(self._baseline, self._setting)
        self._again = again

    def _run(self, variant: Variant, coming: Variant | None) -> Run:
        """Run a variant, and beside it one that is asked for next, where there is room."""
        if coming is None or self.room < 2:
            return self._runner.run(variant, self._setting)
        run, other = self._runner.at_once([variant, coming], self._setting)
        if not other.failed:
            self._ahead[coming.name] = other
        # Two may want what only one can have, such as a port.
        return run if not run.failed else self._runner.run(variant, self._setting)

    def _both(self, before: Run | None, after: Variant, setting: RunConfig) -> tuple[Run, Run]:
        """Runs of the baseline, unless there is one, and of a variant."""
        assert self._baseline is not None
        if before is not None:
            return before, self._runner.run(after, setting)
        if self.room > 1:
            one, two = self._runner.at_once([self._baseline, after], setting)
            if not (one.failed or two.failed):
                return one, two
        return self._runner.run(self._baseline, setting), self._runner.run(after, setting)

    def needs_a_run(self, variant: Variant) -> bool:
        """Whether a variant was not run already, beside another."""
        return variant.name not in self._ahead

    @property
    def startup(self) -> float:
        """Seconds to the first batch, of the faster run of the baseline: the first may have filled
        caches."""
        records = [run.record for run in (self.first, self._again) if run is not None]
        times = [record.first_batch_seconds for record in records if record is not None]
        return min((seconds for seconds in times if seconds is not None), default=0.0)

    def look(
        self,
        variant: Variant,
        orders: bool = False,
        free: bool = False,
        coming: Variant | None = None,
    ) -> Look:
        """Look at a variant; at the order of several epochs too, if that may be what changes.
        `free`: whether it may change anything. `coming`: what is looked at next."""
        run = self._ahead.pop(variant.name, None)
        if run is None:
            self._observer.doing(f"looking at: {variant.name}")
            run = self._run(variant, coming)
        before, again = self.first, self._again
        if before is None or again is None or before.failed or run.failed:
            return Look(run, None, None)
        equivalence = compare(before, again, run, lambda: self._align(variant), free)
        first = faults(before)
        gone = fixed_fault(first, faults(run))
        if orders and gone is None and first.repeated_order is None:
            first, after = self._by_short_epochs(variant)
            gone = fixed_fault(first, after)
        return Look(run, equivalence, gone, first)

    def _align(self, variant: Variant) -> tuple[Run, Run]:
        """Runs whose random draws depend on the indices alone."""
        setting = self._setting._replace(align=True)
        self._observer.doing(f"comparing the samples of: {variant.name}")
        self._aligned, run = self._both(self._aligned, variant, setting)
        return self._aligned, run

    def _by_short_epochs(self, variant: Variant) -> tuple[Faults, Faults]:
        """Faults that show only after several epochs, which are cut short."""
        setting = self._setting._replace(epoch_cap=_CAP, steps=4 * _CAP)
        self._observer.doing(f"looking at the order of several epochs: {variant.name}")
        self._capped, run = self._both(self._capped, variant, setting)
        return faults(self._capped), faults(run)


def _check_observed(run: Run) -> None:
    """Raise UnmeasurableError where there was no loader to observe."""
    if not run.records or run.training is None:
        raise UnmeasurableError(
            "no DataLoader of torch was read: the script ends before it, does not use torch's "
            "loader (DALI, FFCV, Ray), or its launcher drops PYTHONPATH"
        )
