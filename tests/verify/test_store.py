"""Results that are kept in the project."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dlint.findings.diagnostic import Applicability
from dlint.verify.judge.kept import Comparison, Kept
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.judge.sequence import START
from dlint.verify.judge.statistics import Pair, estimate
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.plan.overrides import from_settings
from dlint.verify.report.store import listed, save
from dlint.workspace.reading import Sources


def _saved(folder: Path, *results: Result) -> list[Path]:
    outcome = Outcome("train.py", ["python", "train.py"], list(results))
    save(outcome, folder, Sources())
    return sorted((folder / ".dlint" / "verify").glob("*.json"))


def _result(path: Path, name: str, code: str = "DLT108", patched: str = "") -> Result:
    applicability, spots = Applicability.TRIAL, (Spot(str(path), 1, ""),)
    made = Candidate(name, code, "throughput", Observable.STEP, applicability, "", spots)
    made = made._replace(patched=((str(path), patched),) if patched else ())
    return Result((made,), Mode.ALONE, Verdict.NO_EFFECT)


def test_each_thing_that_was_tried_is_kept_and_the_same_one_once(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    trials = [_result(path, f"zero-workers (num_workers={count})") for count in (2, 4)]
    assert len(_saved(tmp_path, *trials)) == 2
    assert len(_saved(tmp_path, *trials)) == 2
    assert len(list((tmp_path / ".dlint" / "measured").iterdir())) == 2
    patches = [_result(path, "a.patch", "", text) for text in ("x = 2\n", "x = 3\n")]
    assert len(_saved(tmp_path, *patches)) == 4
    path.write_text("x = 4\n")
    assert len(_saved(tmp_path, trials[0])) == 5


def test_a_run_without_a_verdict_does_not_take_the_place_of_one(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    clear, open_ = (_result(path, "rule") for _ in range(2))
    open_.verdict = Verdict.INCONCLUSIVE
    for result in (open_, clear, open_):
        (kept,) = _saved(tmp_path, result)
    assert json.loads(kept.read_text())["fixes"][0]["verdict"] == "no-effect"
    (measured,) = (tmp_path / ".dlint" / "measured").glob("*.json")
    assert json.loads(measured.read_text())["verdict"] == "no-effect"


def test_what_is_kept_can_be_listed(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1\n")
    _saved(tmp_path, _result(path, "rule"))
    pairs = tuple(Pair((2.0,) * 8, (1.0,) * 8) for _ in range(3))
    days = tuple((f"2026-01-0{day}T03:04:05+00:00", pairs) for day in (1, 2, 2))
    Kept(tmp_path).add("key", Comparison("train.py", "num_workers=4", "step", days))
    verdict, kept = listed(tmp_path)
    assert verdict.endswith("train.py  rule: no-effect")
    assert kept.startswith("2026-01-02  train.py  num_workers=4: 9 pairs of 2 days, a step 2.00x (")


def test_settings_of_ones_own_are_listed_with_their_verdict(tmp_path: Path) -> None:
    """They are no rule's, so `check` has no finding to show them beside; the list has."""
    given = Result((from_settings((("num_workers", 4),)),), Mode.ALONE, Verdict.CONFIRMED)
    pairs = [Pair((2.0,) * 8, (1.0,) * 8)] * 3
    given.estimate = estimate(pairs, 0.95, 0.03)
    given.details["observable"] = "seconds an epoch"
    together = replace(given, mode=Mode.TOGETHER)
    _saved(tmp_path, given, together)
    for name, line in zip((" (together)", ""), sorted(listed(tmp_path)), strict=True):
        assert f"train.py  num_workers=4{name}: confirmed, an epoch 2.00x (" in line
    assert not list((tmp_path / ".dlint" / "measured").glob("*"))


def test_one_pair_of_one_day_is_listed_as_such(tmp_path: Path) -> None:
    day = ("2026-01-02T03:04:05+00:00", (Pair((2.0,) * 8, (1.0,) * 8),))
    Kept(tmp_path).add("key", Comparison("train.py", "fix", "step", (day,)))
    (line,) = listed(tmp_path)
    assert "fix: 1 pair of 1 day, " in line


def test_pairs_are_kept_by_what_they_hold_for(tmp_path: Path) -> None:
    kept, day = Kept(tmp_path), ("2026-01-02", (Pair((2.0,), (1.0,)),))
    for _ in range(2):
        kept.add("key", Comparison("train.py", "fix", "step", (day,)))
    assert [pair.day for pair in kept.of("key", "step")] == [0, 1]
    assert kept.of("key", "epoch") == kept.of("other", "step") == ()
    (path,) = (tmp_path / ".dlint" / "verify" / "pairs").glob("*.json")
    path.write_text(path.read_text().replace("2.0", "-2.0"))
    assert kept.of("key", "step") == (), "what is broken is not believed"
    assert (tmp_path / ".dlint" / ".gitignore").read_text() == "*\n"
    Kept().add("key", Comparison("train.py", "fix", "step", (day,)))


def test_how_far_starts_lie_apart_is_known_of_a_few_pairs(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    ratios = (1.0, 1.5, 0.7, 1.3, 0.8)
    for number, count in enumerate((1, 2, 5)):
        pairs = tuple(Pair((r,), (1.0,)) for r in ratios[:count])
        kept.add(f"{number}", Comparison("train.py", "fix", "step", (("2026-01-02", pairs),)))
        known = kept.start()
        assert (known is None) == (count < 5)
    assert known is not None
    assert known.deviation == pytest.approx(0.33, abs=0.05)
    assert known.degrees == 5
    quiet = tuple(Pair((1.0,), (1.0,)) for _ in range(20))
    kept.add("quiet", Comparison("train.py", "fix", "step", (("2026-01-02", quiet),)))
    known = kept.start()
    assert known is not None
    assert known.deviation == START, "today may be another day"
