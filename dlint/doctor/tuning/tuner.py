"""The setting of the training's loader that is worth a comparison, out of a knock-out of some."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlint.doctor.diagnosis import Diagnosis
from dlint.doctor.operations import COMPUTE, HOST, WAITING_FOR_DEVICE
from dlint.doctor.report import html, words
from dlint.doctor.report.json import data
from dlint.doctor.tuning.grid import Entry, entries
from dlint.doctor.tuning.setting import Facts, Predictor, Setting
from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.contest import Contest, Entrant, Standing
from dlint.verify.judge.results import Outcome, Result, Verdict
from dlint.verify.judge.tuned import Fate, Tried, Tuning
from dlint.verify.measure import windows
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.overrides import from_settings
from dlint.verify.run.runner import RunConfig

_MOST = 6
"""Settings that meet, at most."""
_SHARE = 0.4
"""Of the time that is left, what their meetings may take; the rest is for the comparison with the
present setting."""
_NEAR = 0.25
"""The share of the memory limit from which on it is measured what a setting takes."""
_SPARE = 0.5
"""The share of the memory of a device under which larger batches would fit twice."""


class Tuner:
    """Chooses a setting by what one run of the script showed."""

    def __init__(self, diagnosis: Diagnosis, memory_limit: int) -> None:
        """Raises UnmeasurableError where the run showed too little."""
        if diagnosis.facts is None:
            why = "; ".join(diagnosis.notes) or "nothing was seen of how batches are made"
            raise UnmeasurableError(f"too little was seen to tune anything: {why}")
        self._facts: Facts = diagnosis.facts
        self._known, self._limit = Predictor(diagnosis.facts), memory_limit
        values = data(diagnosis)
        self.tuning = Tuning(
            self._facts.loader.site,
            memory_limit,
            ideas=list(_ideas(diagnosis, self._facts)),
            answer=words.answer(values),
            ceiling="; ".join(filter(None, (words.ceiling(values), *words.cautions(values)))),
            lead=html.lead(values),
            examined=values,
        )

    def choose(self, contest: Contest) -> list[Candidate]:
        """The setting that is compared with the present one; none where none promises more."""
        chosen, left = entries(self._known, self._limit, _MOST)
        made = [_Trial(entry, self._entrant(entry)) for entry in chosen]
        by_name = {trial.entrant.candidate.name: trial for trial in made}
        deadline = time.monotonic() + _SHARE * (contest.end - time.monotonic())
        found = contest.play([trial.entrant for trial in made], deadline)
        winner, told = self._first_that_fits(found, by_name, contest)
        self.tuning.tried = [self._present(), *told, *map(_left_out, left)]
        if winner is None:
            self.tuning.why = self._why_none(left)
        return [] if winner is None else [winner]

    def conclude(self, outcome: Outcome) -> None:
        """Say what to do, by the verdict about what was chosen."""
        outcome.tuning = self.tuning
        result = next(iter(outcome.results), None)
        if result is None:
            return
        if result.verdict is Verdict.CONFIRMED:
            self.tuning.recommended = dict(result.candidates[0].settings)
        else:
            self.tuning.why = _why_not(result)

    def _entrant(self, entry: Entry) -> Entrant:
        given = entry.setting.beside(self._known.present)
        loader, own = self._facts.loader, entry.setting
        update = {
            "num_workers": own.num_workers,
            "prefetch_factor": own.prefetch_factor,
            "persistent_workers": own.persistent_workers,
        }
        candidate = from_settings(tuple(given.items()), loader, alone=True)
        return Entrant(candidate, loader.model_copy(update=update), entry.seconds, own.queue)

    def _present(self) -> Tried:
        own = self._known.present
        seconds, memory = self._known.seconds(own), self._known.memory(own)
        return Tried(_told(own), seconds, memory, Fate.PRESENT)

    def _first_that_fits(
        self, found: Sequence[Standing], made: dict[str, _Trial], contest: Contest
    ) -> tuple[Candidate | None, list[Tried]]:
        """The best one that fits into memory, and what became of all."""
        winner: Candidate | None = None
        told = []
        for standing in found:
            entry = made[standing.entrant.candidate.name].entry
            row = _row(standing, entry)
            if winner is None and not standing.failed:
                memory = self._memory_of(standing.entrant.candidate, entry, contest)
                row = row._replace(memory=memory, fate=Fate.WON, against="", ratio=None)
                if memory > self._limit:
                    row = row._replace(fate=Fate.TOO_LARGE, why="measured")
                else:
                    winner = standing.entrant.candidate
            told.append(row)
        return winner, told

    def _memory_of(self, candidate: Candidate, entry: Entry, contest: Contest) -> int:
        """Bytes that all processes take with it; measured where the limit is near."""
        if entry.memory < _NEAR * self._limit:
            return entry.memory
        contest.observer.doing(f"measuring the memory of: {candidate.name}")
        known = windows.pace(contest.first, contest.startup)
        loader = self._entrant(entry).loader
        setting = windows.timed(known, [loader], windows.Asked(), 1.0, queues=1)
        setting = setting._replace(memory=True, ends=contest.end)
        run = contest.runner.run(contest.variant([candidate]), _bounded(setting))
        return run.memory.peak_total or entry.memory

    def _why_none(self, left: Sequence[Entry]) -> str:
        most = self._facts.ceiling.gain
        if left:
            return f"what would be faster does not fit: {left[0].why_not}"
        if self.tuning.tried[1:]:
            return "the script ran with none of them"
        said = f"no other setting promises more; at most {most:.2f}x is to be won by loading"
        fetching, free = self._facts.fetching, self._facts.ceiling.free_step
        busy = fetching.batch * fetching.computing / max(1e-9, free)
        if busy > self._known.processors:
            said += f", and {busy:.1f} CPUs would be busy with it, of {self._facts.machine.cpus:g}"
        return said


class _Trial(NamedTuple):
    entry: Entry
    entrant: Entrant


def _bounded(setting: RunConfig) -> RunConfig:
    return setting._replace(limit=min(setting.limit, 60.0))


def _told(setting: Setting) -> dict[str, object]:
    return {name: value for name, value in setting._asdict().items() if value is not None}


def _row(standing: Standing, entry: Entry) -> Tried:
    fate = Fate.FAILED if standing.failed else Fate.LOST
    ratio = None if standing.ratio is None else round(standing.ratio, 4)
    told = _told(entry.setting)
    return Tried(told, entry.seconds, entry.memory, fate, standing.met, ratio, standing.failed)


def _left_out(entry: Entry) -> Tried:
    told = _told(entry.setting)
    return Tried(told, entry.seconds, entry.memory, Fate.TOO_LARGE, why=entry.why_not)


def _why_not(result: Result) -> str:
    """Why what was chosen is not recommended."""
    if result.verdict is Verdict.INCONCLUSIVE:
        return f"whether {result.name} is faster could not be told: {result.why}"
    told = {
        Verdict.NO_EFFECT: "is not faster by as much as would matter",
        Verdict.SLOWER: "is slower",
        Verdict.CHANGES_RESULTS: f"changes results: {result.why}",
        Verdict.FAILED: f"fails: {result.why}",
    }
    return f"{result.name} {told.get(result.verdict, result.verdict.value)}"


def _ideas(diagnosis: Diagnosis, facts: Facts) -> Iterator[str]:
    """What changes what is trained."""
    kind = None if diagnosis.bound is None else diagnosis.bound.kind
    if kind not in (COMPUTE, HOST, WAITING_FOR_DEVICE) or not facts.on_gpu:
        return
    if facts.device_memory is not None and facts.device_memory < _SPARE:
        size = facts.loader.batch_size
        yield (
            f"the fullest device uses {facts.device_memory:.0%} of its memory: batches larger "
            f"than {size} may use it better; that changes what is trained, so it is not tried"
        )
