"""Variants that meet two by two."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import pytest

from dlint.verify.judge.contest import Contest, Entrant, Standing
from dlint.verify.measure.windows import Asked
from dlint.verify.options import Options
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.overrides import from_settings
from dlint.verify.report.watching import NullObserver
from dlint.verify.run.runner import Run, RunConfig, Variant
from tests.verify.made import FakeRunner, loader, run, took_turns

OFF = [1.0, 1.02, 0.99, 1.01]


class Arena(FakeRunner):
    """Gives runs by the seconds of a step that each variant takes; what is None fails."""

    def __init__(self, seconds: Mapping[str, float | None]) -> None:
        super().__init__(lambda name, _: self._made(name))
        self.met: list[tuple[str, str]] = []
        self._seconds = seconds

    def _made(self, name: str) -> Run:
        step = self._seconds[name]
        return run(code=1) if step is None else run(step=step)

    def duets(self, couples: Sequence[tuple[Sequence[Variant], RunConfig]]) -> list[list[Run]]:
        """Both take their turns."""
        for sides, _ in couples:
            one, two = sorted(variant.name for variant in sides)
            self.met.append((one, two))
        return [[self._turn(v.name, setting) for v in sides] for sides, setting in couples]

    def _turn(self, name: str, setting: RunConfig) -> Run:
        step = self._seconds[name]
        if step is None:
            return run(code=1)
        return took_turns(step, setting.steps, [OFF[n % 4] for n in range(setting.turns)])


def entrant(name: str, foreseen: float, cost: int = 4) -> Entrant:
    candidate = from_settings((("num_workers", 2),))._replace(name=name)
    return Entrant(candidate, loader(workers=2), foreseen, cost)


def named(chosen: Sequence[Candidate]) -> Variant:
    return Variant(" + ".join(c.name for c in chosen) or "as it is", {})


def contest(runner: FakeRunner, room: int = 2, left: float = 600) -> Contest:
    options = Options(window=Asked(), room=room, design="duet" if room > 1 else "pairs")
    end = time.monotonic() + left
    return Contest(runner, run(), 0.5, options, NullObserver(), named, end)  # type: ignore[arg-type]


def played(runner: FakeRunner, entrants: Sequence[Entrant], **given: float) -> list[Standing]:
    made = contest(runner, int(given.get("room", 2)))
    return made.play(entrants, time.monotonic() + given.get("seconds", 300))


@pytest.mark.parametrize("room", [1, 2])
def test_the_best_wins_whatever_was_foreseen(room: int) -> None:
    truth = {"a": 0.03, "b": 0.02, "c": 0.01, "d": 0.04, "e": 0.015}
    entrants = [entrant(name, 0.01 * n) for n, name in enumerate(truth, start=1)]
    runner = Arena(truth)
    found = played(runner, entrants, room=room)
    assert found[0].entrant.candidate.name == "c"
    assert not found[0].met
    if room > 1:
        assert len(runner.met) == len(entrants) - 1, "who lost does not come back"


def test_how_much_slower_who_lost_was() -> None:
    found = played(Arena({"a": 0.03, "b": 0.02}), [entrant("a", 0.01), entrant("b", 0.02)])
    lost = found[1]
    assert (lost.entrant.candidate.name, lost.met) == ("a", "b")
    assert lost.ratio == pytest.approx(1.5, rel=0.02)


def test_of_two_that_are_as_fast_the_cheaper_one_goes_on() -> None:
    for names in ("ab", "ba"):
        entrants = [entrant(name, 0.01, 16 if name == "a" else 4) for name in names]
        found = played(Arena({"a": 0.02, "b": 0.0201}), entrants)
        assert found[0].entrant.candidate.name == "b"
        dear = played(Arena({"a": 0.019, "b": 0.0201}), entrants)
        assert dear[0].entrant.candidate.name == "a", "a twentieth is worth it"


@pytest.mark.parametrize("room", [1, 2])
def test_what_fails_does_not_go_on(room: int) -> None:
    for names in ("ab", "ba"):
        entrants = [entrant(name, 0.01 * n) for n, name in enumerate(names, start=1)]
        found = played(Arena({"a": None, "b": 0.02}), entrants, room=room)
        assert [s.entrant.candidate.name for s in found] == ["b", "a"]
        assert found[1].failed


def test_without_time_what_promises_more_goes_on() -> None:
    runner = Arena({"a": 0.03, "b": 0.02})
    found = played(runner, [entrant("b", 0.02), entrant("a", 0.01)], seconds=0.1)
    assert [s.entrant.candidate.name for s in found] == ["a", "b"]
    assert (found[1].met, found[1].ratio) == ("a", None)
    assert not runner.met


def test_one_alone_meets_nobody() -> None:
    runner = Arena({"a": 0.03})
    assert [s.rounds for s in played(runner, [entrant("a", 0.01)])] == [0]
    assert played(runner, []) == []
    assert not runner.met
