"""Which settings are tried, and which one is recommended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from dlint.doctor.tuning.grid import entries, promises_more
from dlint.doctor.tuning.queueing import pace_of
from dlint.doctor.tuning.setting import Facts, Predictor, Setting
from dlint.doctor.tuning.tuner import Tuner
from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.judge.tuned import Fate
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.overrides import from_settings
from dlint.verify.run.runner import Run, RunConfig, Variant
from tests.doctor import made
from tests.verify.made import run
from tests.verify.test_contest import Arena, contest

MIB = 2**20
ROOM = 2**40
TICK = 0.001


class Script(NamedTuple):
    """A program of which everything is known."""

    times: tuple[float, ...]
    """Seconds of each batch, on a processor of its own."""
    step: float
    computing: float
    """The share of that time on a processor."""
    cpus: float
    workers: int
    sending: float = 0.0
    """Seconds of the program for each batch that workers hand over."""


def truth(script: Script, workers: int, prefetch: int) -> float:
    """Seconds a batch, tick by tick: each worker makes a batch as fast as processors let it."""
    if workers == 0:
        return script.step + sum(script.times) / len(script.times)
    limit = 240 * max(script.step, sum(script.times) / len(script.times))
    left: list[float | None] = [None] * workers
    number: list[int] = list(range(workers))
    ready: set[int] = set()
    taken, now, busy_until, marks = 0, 0.0, 0.0, []
    while now < limit:
        active = [w for w in range(workers) if left[w] is not None]
        speed = min(1.0, script.cpus / max(1e-9, len(active) * script.computing))
        for w in range(workers):
            remaining = left[w]
            if remaining is None and number[w] < taken + workers * prefetch:
                left[w] = script.times[number[w] % len(script.times)]
            elif remaining is not None:
                left[w] = remaining - TICK * speed
                if left[w] is not None and left[w] <= 0:  # type: ignore[operator]
                    ready.add(number[w])
                    left[w], number[w] = None, number[w] + workers
        if now >= busy_until and taken in ready:
            ready.discard(taken)
            taken += 1
            marks.append(now)
            busy_until = now + script.step + script.sending
        now += TICK
    first = len(marks) // 3
    return (marks[-1] - marks[first]) / (len(marks) - 1 - first)


def facts(script: Script | None = None, **given: Any) -> Facts:
    """What a run of a script shows."""
    found = made.diagnosed()
    assert found.facts is not None
    known = found.facts
    roomy = known.machine._replace(
        cpus=32, memory=0, memory_limit=ROOM, worker_memory=MIB, shm_free=ROOM
    )
    known = known._replace(machine=roomy)
    if script is not None:
        batch = sum(script.times) / len(script.times)
        now = truth(script, script.workers, 2)
        known = known._replace(
            loader=made.loader(
                made.times(), num_workers=script.workers, persistent_workers=True, length=10**6
            ),
            fetching=known.fetching._replace(
                workers=script.workers,
                batch=batch,
                times=script.times,
                processor=script.computing,
                delayed=0.0,
            ),
            handing=script.sending if script.workers else 0.0,
            ceiling=known.ceiling._replace(now=now, free=script.step, free_step=script.step),
            machine=roomy._replace(cpus=script.cpus + min(1.0, script.step / now)),
        )
    return known._replace(**given)


UNEVEN = (0.01,) * 11 + (0.25,)


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("prefetch", [2, 4])
@pytest.mark.parametrize("times", [(0.02,), (0.06,), UNEVEN])
def test_batches_come_as_they_do_from_workers(
    times: tuple[float, ...], workers: int, prefetch: int
) -> None:
    script = Script(times, 0.015, 0.0, 32, workers)
    expected = truth(script, workers, prefetch)
    assert pace_of(times, 0.015, workers, prefetch) == pytest.approx(expected, rel=0.06)


def test_without_workers_all_comes_after_each_other() -> None:
    assert pace_of((0.01, 0.03), 0.005, 0, 2) == pytest.approx(0.025)


SCRIPTS = {
    "fed by five workers that wait": Script((0.05,), 0.011, 0.05, 32, 1),
    "no workers yet": Script((0.03,), 0.012, 0.1, 32, 0),
    "four processors for what is computed": Script((0.08,), 0.004, 1.0, 4, 2),
    "a slow batch in twelve": Script(UNEVEN, 0.02, 0.1, 32, 2),
    "batches that cost more to hand over than to make": Script((0.001,), 0.012, 0.5, 8, 2, 0.005),
    "the present setting is best": Script((0.02,), 0.012, 0.3, 8, 2),
}


class Arranged(Arena):
    """Gives runs as the truth about a script has it, by the settings of each variant."""

    def __init__(self, script: Script) -> None:
        super().__init__({})
        self._script = script
        self._known: dict[str, float] = {}

    def duets(self, couples: Sequence[tuple[Sequence[Variant], RunConfig]]) -> list[list[Run]]:
        for sides, _ in couples:
            for variant in sides:
                count = variant.settings.get("num_workers", self._script.workers)
                factor = variant.settings.get("prefetch_factor", 2)
                self._known[variant.name] = truth(self._script, count, factor)
        self._seconds = self._known
        return super().duets(couples)


def with_settings(chosen: Sequence[Candidate]) -> Variant:
    settings = {name: value for c in chosen for name, value in c.settings}
    return Variant(" + ".join(c.name for c in chosen) or "as it is", {}, settings)


def tuner(known: Facts, limit: int = ROOM) -> Tuner:
    found = made.diagnosed()
    found.facts = known
    return Tuner(found, limit)


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_chosen_is_within_a_twentieth_of_the_best_of_all(name: str) -> None:
    script = SCRIPTS[name]
    chooser = tuner(facts(script))
    arena = contest(Arranged(script))._replace(variant=with_settings)
    (chosen,) = chooser.choose(arena) or (None,)
    settings = {} if chosen is None else dict(chosen.settings)
    count = settings.get("num_workers", script.workers)
    found = truth(script, count, settings.get("prefetch_factor", 2))
    best = min(truth(script, w, p) for w in range(17) for p in (2, 4, 8))
    assert found <= 1.05 * best
    if name == "the present setting is best":
        assert chosen is None
        assert "promises more" in chooser.tuning.why


def test_more_workers_than_processors_can_keep_busy_are_not_foreseen_to_help() -> None:
    known = Predictor(facts(SCRIPTS["four processors for what is computed"]))
    four, eight = (known.step(Setting(n, 2, True)) for n in (4, 8))
    assert four == pytest.approx(0.02, rel=0.05)
    assert eight == pytest.approx(four, rel=0.05)


def test_workers_that_stay_begin_no_epoch_anew() -> None:
    short = facts()._replace(loader=made.loader(made.times(), length=30))
    known = Predictor(short)
    staying, new = (known.seconds(Setting(2, 2, stays)) for stays in (True, False))
    assert (new - staying) * 30 == pytest.approx(made.START + made.TAIL)


def test_memory_grows_by_workers_and_by_batches_that_wait() -> None:
    base = facts()
    known = Predictor(
        base._replace(
            machine=base.machine._replace(memory=1000 * MIB, worker_memory=100 * MIB, ranks=2),
            fetching=base.fetching._replace(size=10 * MIB),
        )
    )
    assert known.memory(known.present) == 1000 * MIB
    assert known.memory(Setting(4, 4)) == (1000 + 2 * (2 * 100 + 12 * 10)) * MIB


def test_what_does_not_fit_is_left_out_and_told() -> None:
    script = SCRIPTS["fed by five workers that wait"]
    known = Predictor(facts(script))
    chosen, left = entries(known, 3 * MIB, 8)
    assert {entry.setting.num_workers for entry in chosen} == {2, 3}, "there is one already"
    assert all("of 3 MiB" in entry.why_not for entry in left)
    tight = known.facts.machine._replace(shm_free=0, shm_needed=12 * 4096)
    _, left = entries(Predictor(known.facts._replace(machine=tight)), ROOM, 8)
    assert any("/dev/shm" in entry.why_not for entry in left)


def test_the_doctor_names_the_command_where_something_promises_more() -> None:
    assert promises_more(facts(SCRIPTS["fed by five workers that wait"]))
    assert not promises_more(facts(SCRIPTS["the present setting is best"]))


def test_workers_go_where_handing_over_costs_more_than_making() -> None:
    script = SCRIPTS["batches that cost more to hand over than to make"]
    known = Predictor(facts(script))
    assert known.step(known.present) == pytest.approx(0.017)
    assert known.step(Setting(0)) == pytest.approx(0.013)
    chosen, _ = entries(known, ROOM, 8)
    assert chosen[0].setting == Setting(0)
    present = Setting(2, 4, True, False, "spawn", 1)
    assert Setting(0).beside(present) == {"num_workers": 0}
    none = Predictor(facts(SCRIPTS["no workers yet"]))
    assert Setting(0) not in [entry.setting for entry in entries(none, ROOM, 99)[0]]


def test_what_promises_nothing_is_not_tried() -> None:
    assert entries(Predictor(facts(SCRIPTS["the present setting is best"])), ROOM, 8) == ([], [])


def test_as_few_workers_as_are_as_good_and_a_longer_queue_only_where_it_helps() -> None:
    chosen, _ = entries(Predictor(facts(SCRIPTS["no workers yet"])), ROOM, 8)
    assert chosen[0].setting == Setting(3, 2, True)
    assert {entry.setting.prefetch_factor for entry in chosen} == {2}
    chosen, _ = entries(Predictor(facts(SCRIPTS["a slow batch in twelve"])), ROOM, 8)
    assert max(entry.setting.prefetch_factor or 0 for entry in chosen) > 2


@pytest.mark.parametrize(("cpus", "expected"), [(4, {1}), (1000, {None})])
def test_libraries_have_one_thread_where_workers_have_more_than_processors(
    cpus: int, expected: set[int | None]
) -> None:
    known = facts(SCRIPTS["fed by five workers that wait"])
    known = known._replace(machine=known.machine._replace(cpus=cpus, opencv=8))
    chosen, _ = entries(Predictor(known), ROOM, 8)
    assert {entry.setting.worker_threads for entry in chosen} == expected


def test_fewer_threads_are_tried_where_nothing_else_promises_more() -> None:
    """What they bring cannot be foreseen; a loop that does not wait gains nothing."""
    known = facts(Script((0.08,), 0.004, 1.0, 4, 4))
    machine = known.machine._replace(cpus=4.04, opencv=8)
    for free, expected in ((0.004, [{"worker_threads": 1}]), (known.ceiling.now, [])):
        ceiling = known.ceiling._replace(free=free)
        chosen, _ = entries(Predictor(known._replace(machine=machine, ceiling=ceiling)), ROOM, 8)
        present = Predictor(known).present
        assert [dict(entry.setting.beside(present)) for entry in chosen] == expected


def test_workers_are_forked_only_where_nothing_forbids_it() -> None:
    script = SCRIPTS["fed by five workers that wait"]
    spawned = made.loader(made.times(), num_workers=1, start_method="spawn")
    for may_fork, expected in ((True, {"fork"}), (False, {None})):
        known = Predictor(facts(script)._replace(loader=spawned, may_fork=may_fork))
        chosen, _ = entries(known, ROOM, 8)
        assert {entry.setting.start_method for entry in chosen} == expected
    given = Setting(2, 2, True, False, "fork").beside(Setting(1, 2))
    assert given == {
        "num_workers": 2,
        "persistent_workers": True,
        "multiprocessing_context": "fork",
    }


def test_threads_that_were_alive_forbid_to_fork() -> None:
    for threads, expected in (((), True), (("reader",), False)):
        own = made.examined(made.times(), starts=({"method": "spawn", "threads": threads},))
        found = made.diagnosed(made.run(made.record(doctor=own)))
        assert found.facts is not None
        assert found.facts.may_fork is expected


def test_batches_are_pinned_where_there_is_a_device() -> None:
    known = facts(SCRIPTS["fed by five workers that wait"])._replace(on_gpu=True)
    unpinned = known.loader.model_copy(update={"pinned": False})
    chosen, _ = entries(Predictor(known._replace(loader=unpinned)), ROOM, 8)
    assert all(entry.setting.pin_memory for entry in chosen)


def chosen_beside(
    fails: str = "", memory: int = 0, limit: int = ROOM
) -> tuple[Tuner, list[Candidate]]:
    """What is chosen where some fail, or take more memory than was foreseen."""
    script = SCRIPTS["fed by five workers that wait"]

    class Refusing(Arranged):
        def duets(self, couples: Any) -> list[list[Run]]:
            found = super().duets(couples)
            return [
                [
                    run(code=1) if fails and fails in v.name else r
                    for v, r in zip(s, rs, strict=True)
                ]
                for (s, _), rs in zip(couples, found, strict=True)
            ]

        def run(self, variant: Variant, setting: RunConfig) -> Run:
            made_run = run(code=int(variant.name == fails))
            made_run.memory.peak_total = memory * variant.settings.get("num_workers", 1)
            return made_run

    chooser = tuner(facts(script), limit)
    arena = contest(Refusing(script))._replace(variant=with_settings)
    return chooser, chooser.choose(arena)


def test_what_fails_is_not_chosen_and_told() -> None:
    first, (best,) = chosen_beside()
    other, (second,) = chosen_beside(fails=best.name)
    assert second.name != best.name
    rows = {row.fate for row in other.tuning.tried}
    assert Fate.FAILED in rows
    assert first.tuning.tried[0].fate is Fate.PRESENT
    assert first.tuning.tried[1].fate is Fate.WON


def test_what_takes_more_memory_than_foreseen_is_not_chosen() -> None:
    """Foreseen is one MiB for each further worker; each takes two."""
    chooser, chosen = chosen_beside(memory=2 * MIB, limit=9 * MIB)
    assert dict(chosen[0].settings)["num_workers"] <= 4
    too_large = [row for row in chooser.tuning.tried if row.why == "measured"]
    assert too_large
    assert all(row.memory > 9 * MIB for row in too_large)


@pytest.mark.parametrize("verdict", Verdict)
def test_only_what_is_confirmed_is_recommended(verdict: Verdict) -> None:
    chooser = tuner(facts())
    result = Result((from_settings((("num_workers", 8),)),), Mode.ALONE, verdict, "so")
    outcome = Outcome("train.py", [], [result])
    chooser.conclude(outcome)
    assert outcome.tuning is chooser.tuning
    if verdict is Verdict.CONFIRMED:
        assert chooser.tuning.recommended == {"num_workers": 8}
    else:
        assert chooser.tuning.recommended is None
        assert "num_workers=8" in chooser.tuning.why


def test_a_larger_batch_is_an_idea_only() -> None:
    from dlint.doctor.binding import Bound

    found = made.diagnosed()
    assert found.facts is not None
    for kind, held, count in (("compute", 0.3, 1), ("compute", 0.8, 0), ("workers", 0.3, 0)):
        found.bound = Bound(kind, None, "bound by something")
        found.facts = facts()._replace(on_gpu=True, device_memory=held)
        assert len(Tuner(found, ROOM).tuning.ideas) == count
    names = {name for e in entries(Predictor(facts()), ROOM, 99)[0] for name in e.setting._fields}
    assert not names & {"batch_size", "shuffle", "drop_last", "in_order"}


def test_too_little_is_told() -> None:
    found = made.diagnosed(made.run(made.record(train=None)))
    found.notes = ["the script took 3 batches"]
    with pytest.raises(UnmeasurableError, match="took 3 batches"):
        Tuner(found, ROOM)


def test_the_time_of_meetings_leaves_half_for_the_comparison() -> None:
    chooser = tuner(facts(SCRIPTS["fed by five workers that wait"]))
    runner = Arranged(SCRIPTS["fed by five workers that wait"])
    short = contest(runner, left=4.0)._replace(variant=with_settings)
    began = time.monotonic()
    assert chooser.choose(short)
    assert time.monotonic() - began < 60
    assert not runner.met
