"""Results that are kept in the project."""

from __future__ import annotations

from pathlib import Path

from dlint.findings.diagnostic import Applicability
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.report.store import save
from dlint.workspace.source import Sources


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
