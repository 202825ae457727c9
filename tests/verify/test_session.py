"""What is tried in which order, and what each verdict rests on; with runs made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.contest import Contest
from dlint.verify.judge.results import Mode, Outcome, Verdict
from dlint.verify.measure import pairs
from dlint.verify.measure.pairs import Rule
from dlint.verify.options import Options
from dlint.verify.plan.candidates import Candidate, candidates, going_together
from dlint.verify.plan.overrides import from_settings
from dlint.verify.report.json import fix
from dlint.verify.report.pictures import parts
from dlint.verify.report.watching import NullObserver
from dlint.verify.report.words import remarks
from dlint.verify.run.runner import Run, RunConfig, Variant
from dlint.verify.session import Session
from dlint.workspace.reading import Sources
from tests.verify.made import FakeRunner, noisy, run
from tests.verify.sessions import (
    BASE,
    NAMES,
    OTHER,
    STEP,
    made_candidates,
    verdicts,
    verified,
)


def test_a_fix_that_pays(tmp_path: Path) -> None:
    outcome, runner = verified(tmp_path, noisy({BASE: 0.02, STEP: 0.01}), one="throughput")
    (result,) = outcome.results
    assert result.verdict is Verdict.CONFIRMED
    assert result.estimate is not None
    assert result.estimate.speedup == pytest.approx(2, rel=0.02)
    timed = [name for name, setting in runner.asked if not (setting.look or setting.by_epoch)]
    assert timed == [BASE, STEP, STEP, BASE, BASE, STEP]
    assert outcome.floor is not None
    assert result.diff.splitlines()[-2:] == ["-f()", "+f(one=1)"]


def test_a_fix_that_does_nothing_and_one_that_costs(tmp_path: Path) -> None:
    outcome, _ = verified(tmp_path, noisy({BASE: 0.02, STEP: 0.02}), one="throughput")
    assert outcome.results[0].verdict is Verdict.NO_EFFECT
    outcome, _ = verified(tmp_path, noisy({BASE: 0.02, STEP: 0.03}), one="throughput")
    assert outcome.results[0].verdict is Verdict.SLOWER


def test_all_together_then_each_then_each_left_out(tmp_path: Path) -> None:
    give = noisy({BASE: 0.04, STEP: 0.02, OTHER: 0.02, "one + two": 0.02, "two + one": 0.02})
    outcome, _ = verified(tmp_path, give, one="throughput", two="throughput")
    assert verdicts(outcome) == [
        ("one", Mode.ALONE, Verdict.CONFIRMED),
        ("two", Mode.ALONE, Verdict.CONFIRMED),
        ("one + two", Mode.TOGETHER, Verdict.CONFIRMED),
        ("one", Mode.WITHOUT, Verdict.NO_EFFECT),
        ("two", Mode.WITHOUT, Verdict.NO_EFFECT),
    ]


def test_only_what_pays_alone_is_tried_together(tmp_path: Path) -> None:
    give = noisy({BASE: 0.02, STEP: 0.02, OTHER: 0.01})
    outcome, runner = verified(tmp_path, give, one="throughput", two="throughput")
    assert verdicts(outcome) == [
        ("one", Mode.ALONE, Verdict.NO_EFFECT),
        ("two", Mode.ALONE, Verdict.CONFIRMED),
    ]
    assert not [name for name, _ in runner.asked if "+" in name]


def test_fixes_that_contradict_each_other_are_not_tried_together(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("f()\n")
    place = Place(str(path), 0, len("f()"))
    sources = Sources()

    def sets(number: int, *given: tuple[str, str]) -> Candidate:
        fix = Fix(Applicability.SAFE, "Set", tuple(SetArgument(place, *one) for one in given))
        found = Diagnostic("DLT999", NAMES[number], Severity.WARNING, "so", place, (), fix)
        (made,), _ = candidates([found], sources)
        return made

    two, none = sets(0, ("num_workers", "2")), sets(1, ("num_workers", "0"))
    stays, pins = sets(2, ("persistent_workers", "True")), sets(3, ("pin_memory", "True"))
    gone = sets(2, ("persistent_workers", "False"))
    both = [(two, none), (none, stays), (stays, none)]
    assert [len(going_together(pair, sources)) for pair in both] == [1, 1, 1]
    fitting = [(two, stays), (two, pins), (none, gone), (none, pins)]
    assert [len(going_together(pair, sources)) for pair in fitting] == [2, 2, 2, 2]
    asked = from_settings((("num_workers", 4),))
    assert len(going_together([asked, two], sources)) == 1
    assert len(going_together([asked, pins], sources)) == 2


def test_fixes_that_change_the_results_together_only(tmp_path: Path) -> None:
    fine = noisy({BASE: 0.02, STEP: 0.01, OTHER: 0.01})
    changed = run(0.001, samples=[["x", "b"]], hashes=[["x", "b"]])
    outcome, _ = verified(
        tmp_path,
        lambda name, setting: changed if "+" in name else fine(name, setting),
        one="throughput",
        two="throughput",
    )
    assert [v for _, _, v in verdicts(outcome)] == [Verdict.CONFIRMED, Verdict.CONFIRMED]
    assert "one, two change the results together" in outcome.notes[-1]


def test_a_fix_of_files_that_are_not_loaded_is_not_judged(tmp_path: Path) -> None:
    apart = replace(run(), unloaded=frozenset({str((tmp_path / "train.py").resolve())}))
    outcome, runner = verified(tmp_path, lambda name, setting: apart, one="throughput")
    assert outcome.results[0].verdict is Verdict.INCONCLUSIVE
    assert "not in force: the script did not load" in outcome.results[0].why
    assert all(setting.look for _, setting in runner.asked)


def test_a_script_that_fails_now_and_then_is_not_fixed(tmp_path: Path) -> None:
    fine = noisy({BASE: 0.02, STEP: 0.01})
    failed: list[str] = []

    def once(name: str, setting: RunConfig) -> Run:
        failed.append(name)
        return run(code=1) if len(failed) == 1 else fine(name, setting)

    outcome, _ = verified(tmp_path, once, one="exception")
    assert outcome.results[0].verdict is Verdict.NO_EFFECT
    assert "failed in its first run, but not in the second" in outcome.notes[0]


def test_a_timed_run_that_ends_early_is_said_to(tmp_path: Path) -> None:
    short = replace(run(), records=[run().records[0].model_copy(update={"window": None})])
    outcome, _ = verified(
        tmp_path, lambda name, setting: run() if setting.look else short, one="throughput"
    )
    assert "ended in two timed runs before there was something" in outcome.results[0].why


def test_the_method_names_the_confidence_that_was_used(tmp_path: Path) -> None:
    outcome, _ = verified(tmp_path, noisy({BASE: 0.02, STEP: 0.01}), one="throughput")
    assert outcome.method["confidence"] == 0.95
    assert outcome.method["window"] == {"warmup": None, "steps": None}


def test_a_fix_that_fixes_a_crash_stands_on_both_sides_afterwards(tmp_path: Path) -> None:
    fine = noisy({"one": 0.02, "one + two": 0.01})
    outcome, _ = verified(
        tmp_path,
        lambda name, setting: run(code=1) if "one" not in name else fine(name, setting),
        one="exception",
        two="throughput",
    )
    assert [v for _, _, v in verdicts(outcome)] == [Verdict.FIXES_CRASH, Verdict.CONFIRMED]


def test_a_script_that_always_fails(tmp_path: Path) -> None:
    with pytest.raises(UnmeasurableError, match=r"as it is, and with every fix(.|\n)*the end"):
        verified(tmp_path, lambda name, setting: run(code=1), one="exception")


def test_a_script_that_was_not_reached(tmp_path: Path) -> None:
    apart = replace(run(), injected=False, over="the measurement did not reach it")
    with pytest.raises(UnmeasurableError, match="started with `-I`"):
        verified(tmp_path, lambda name, setting: apart, one="throughput")


def test_what_another_thread_waits_for_says_nothing(tmp_path: Path) -> None:
    def read_in_another(name: str, setting: RunConfig) -> Run:
        made = run()
        (record,) = made.records
        apart = tuple(x.model_copy(update={"background": True}) for x in record.loaders)
        return replace(made, records=[record.model_copy(update={"loaders": apart})])

    outcome, _ = verified(tmp_path, read_in_another, one="throughput")
    (result,) = outcome.results
    assert result.details["before"]["wait_share"] is None
    assert not [remark for remark in remarks(result) if "waiting for data" in remark]
    assert not parts(fix(result))


def test_a_fix_that_breaks_the_script(tmp_path: Path) -> None:
    outcome, _ = verified(
        tmp_path, lambda name, setting: run(code=int(name != BASE)), one="throughput"
    )
    assert outcome.results[0].verdict is Verdict.FAILED
    assert outcome.results[0].stderr == "the end"


def test_changed_results_outrank_a_speedup(tmp_path: Path) -> None:
    changed = run(0.001, samples=[["x", "b"]], hashes=[["x", "b"]])
    outcome, runner = verified(
        tmp_path, lambda name, setting: run() if name == BASE else changed, one="throughput"
    )
    assert outcome.results[0].verdict is Verdict.CHANGES_RESULTS
    assert all(setting.look for _, setting in runner.asked)


def test_a_fixed_order_is_no_changed_result(tmp_path: Path) -> None:
    outcome, _ = verified(
        tmp_path,
        lambda name, setting: run(order=[[0, 1], [0, 1] if name == BASE else [1, 0]]),
        one="order",
    )
    assert outcome.results[0].verdict is Verdict.FIXES_FAULT


def test_a_fault_that_does_not_show(tmp_path: Path) -> None:
    outcome, _ = verified(tmp_path, lambda name, setting: run(), one="strategy")
    assert outcome.results[0].verdict is Verdict.INCONCLUSIVE
    kept = run(strategies=["file_system"], asked="file_system")
    outcome, _ = verified(tmp_path, lambda name, setting: kept, one="strategy")
    assert outcome.results[0].verdict is Verdict.NO_EFFECT


def test_a_script_of_one_epoch_has_no_order_that_comes_again(tmp_path: Path) -> None:
    once = run(order=[[0, 1]], hashes=[["a", "b"]], samples=[["a", "b"]])
    once.records[0] = once.records[0].model_copy(update={"why": "exit"})
    outcome, _ = verified(tmp_path, lambda name, setting: once, one="order")
    (result,) = outcome.results
    assert result.verdict is Verdict.NO_EFFECT
    assert result.why == "there is one epoch only, as the script was started"


def _waiting(share: float, workers: int = 0) -> Run:
    """A run whose loop waits for data for this share of its time."""
    made = run(step=0.02, workers=workers)
    (record,) = made.records
    (own,) = record.loaders
    given = tuple(moment + 0.02 * share for moment in own.entered)
    loaders = (own.model_copy(update={"given": given}),)
    return replace(made, records=[record.model_copy(update={"loaders": loaders})])


def test_where_the_loop_waits_workers_are_tried_without_a_finding(tmp_path: Path) -> None:
    for share, workers, expected in (
        (0.6, 0, ["num_workers=2, persistent_workers=True"]),
        (0.6, 2, ["num_workers=", "prefetch_factor=4, persistent_workers=True"]),
        (0.1, 0, []),
    ):
        _, sources = made_candidates(tmp_path)
        runner: Any = FakeRunner(lambda name, s, w=workers, h=share: _waiting(h, w))  # type: ignore[misc]
        options = Options(budget=300, design="pairs")
        outcome = Session(runner, [], sources, options, NullObserver()).run()
        names = [result.name for result in outcome.results]
        assert len(names) >= len(expected)
        assert bool(names) == bool(expected)
        assert all(any(n.startswith(e) for n in names) for e in expected)


def test_looks_are_beside_each_other_where_there_is_room(tmp_path: Path) -> None:
    give = noisy({BASE: 0.04, STEP: 0.02, OTHER: 0.02, "one + two": 0.02, "two + one": 0.02})
    _, runner = verified(tmp_path, give, one="throughput", two="throughput")
    assert runner.beside == [[BASE, STEP]]
    looks = [name for name, setting in runner.asked if setting.look]
    assert looks[:4] == [BASE, BASE, STEP, OTHER], "each is looked at once"


def test_what_fails_beside_another_is_looked_at_alone(tmp_path: Path) -> None:
    """Two may want what only one can have, such as a port."""
    fine, asked = noisy({BASE: 0.04, STEP: 0.02}), []

    def one_at_a_time(name: str, setting: RunConfig) -> Run:
        asked.append(name)
        return run(code=1) if len(asked) in {2, 3} else fine(name, setting)

    outcome, _ = verified(tmp_path, one_at_a_time, one="throughput")
    assert verdicts(outcome) == [("one", Mode.ALONE, Verdict.CONFIRMED)]
    assert asked[:5] == [BASE, BASE, STEP, BASE, STEP]


def test_settings_do_not_need_the_order_of_epochs(tmp_path: Path) -> None:
    _, sources = made_candidates(tmp_path)
    given = from_settings((("num_workers", 2),))
    runner: Any = FakeRunner(lambda name, setting: run(step=0.01))
    Session(runner, [given], sources, Options(design="pairs"), NullObserver()).run()
    assert not [setting for _, setting in runner.asked if setting.look and setting.epoch_cap]


def test_a_first_run_that_fills_caches_does_not_count(tmp_path: Path) -> None:
    starts = chain([180.0], repeat(0.2))

    def give(name: str, setting: RunConfig) -> Run:
        made = run(step=0.02)
        update = {"first_batch_seconds": next(starts)}
        made.records[0] = made.records[0].model_copy(update=update)
        return made

    outcome, _ = verified(tmp_path, give, one="throughput")
    assert outcome.results[0].verdict is Verdict.NO_EFFECT


def test_memory_needs_a_full_queue_and_no_long_window(tmp_path: Path) -> None:
    def give(name: str, setting: RunConfig) -> Run:
        return run(step=0.01, workers=50)

    steps = {}
    for claim in ("throughput", "memory"):
        _, runner = verified(tmp_path, give, one=claim)
        steps[claim] = next(
            setting for _, setting in runner.asked if not (setting.look or setting.by_epoch)
        ).steps
    assert steps == {"throughput": 800, "memory": 200}


def test_a_run_that_the_budget_ends_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def slow(name: str, setting: RunConfig) -> Run:
        nonlocal now
        now += min(setting.limit, 30)
        return replace(run(), over="too long") if setting.limit < 30 else run(step=0.02)

    monkeypatch.setattr("time.monotonic", lambda: now)
    runner: Any = FakeRunner(slow)
    rule = Rule(0.95, 0.03, 12, deadline=80, end=80)
    sides = Variant(BASE, {}), Variant(STEP, {})
    found = pairs.Pairs(runner, *sides, RunConfig(limit=60), pairs.STEP).measure(rule)
    assert (len(found.pairs), found.ran_out) == (1, True)
    assert found.failed is found.broken is None
    assert now <= 80


def test_what_is_chosen_is_tried_and_nothing_else(tmp_path: Path) -> None:
    winner = from_settings((("num_workers", 8),))
    offered: list[Contest] = []

    def choose(contest: Contest) -> list[Candidate]:
        offered.append(contest)
        return [winner]

    runner = FakeRunner(noisy({BASE: 0.02, winner.name: 0.01}))
    outcome = _chosen(runner, choose, tmp_path)
    assert verdicts(outcome) == [(winner.name, Mode.ALONE, Verdict.CONFIRMED)]
    (contest,) = offered
    assert contest.first.training is not None
    assert contest.variant([winner]).settings == {"num_workers": 8}


def test_where_nothing_is_chosen_the_script_is_looked_at_once(tmp_path: Path) -> None:
    runner = FakeRunner(noisy({BASE: 0.02}))
    assert _chosen(runner, lambda _: [], tmp_path).results == []
    assert runner.count == 1


def test_a_choice_that_there_is_no_time_to_compare_is_told(tmp_path: Path) -> None:
    """What was found out until then is not thrown away."""
    winner = from_settings((("num_workers", 8),))
    runner = FakeRunner(noisy({BASE: 9.0, winner.name: 0.01}))
    (result,) = _chosen(runner, lambda _: [winner], tmp_path).results
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "left out" in result.why


def _chosen(
    runner: FakeRunner, choose: Callable[[Contest], list[Candidate]], folder: Path
) -> Outcome:
    _, sources = made_candidates(folder, one="throughput")
    options = Options(budget=150, design="pairs", where_it_waits=False)
    given = (runner, [], sources, options, NullObserver(), None, choose)
    return Session(*given).run()  # type: ignore[arg-type]
