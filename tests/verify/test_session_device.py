"""What a device is needed for, and what is seen of it; with runs made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dlint.verify.judge.results import Verdict
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.options import Options
from dlint.verify.plan.candidates import candidates
from dlint.verify.report.watching import NullObserver
from dlint.verify.run.runner import Run, RunConfig
from dlint.verify.session import Session
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from tests.verify.made import FakeRunner, run
from tests.verify.sessions import BASE, STEP, diagnostic, verified


def test_what_acts_on_copies_needs_a_device(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("f()\n")
    sources = Sources()
    tried, _ = candidates([diagnostic(path, "missing-pin-memory", "pin_memory")], sources)
    runner = FakeRunner(lambda name, setting: run())
    session = Session(runner, tried, sources, Options(), NullObserver())  # type: ignore[arg-type]
    assert session.run().results[0].verdict is Verdict.NEEDS_GPU


def test_what_the_device_does_is_seen_in_runs_of_its_own(tmp_path: Path) -> None:
    devices = {
        BASE: DeviceTime(1.0, 0.4, {"pageable": 20}, 100, 0.2, 0.0),
        STEP: DeviceTime(1.0, 0.8, {"pinned": 20}, 100, 0.1, 0.1),
    }
    steps = {BASE: 0.02, STEP: 0.01}
    outcome, runner = verified(
        tmp_path,
        lambda name, setting: run(step=steps[name], device=devices[name]),
        one="throughput",
    )
    details = outcome.results[0].details
    assert details["before"]["device"]["copies"] == {"pageable": 20}
    assert (details["before"]["device"]["overlap"], details["after"]["device"]["overlap"]) == (0, 1)
    assert [name for name, setting in runner.asked if setting.profile] == [BASE, STEP]


def test_the_device_is_not_looked_at_behind_the_end_of_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    device = DeviceTime(1.0, 0.5, {}, 0, 0.0, 0.0)
    steps = {BASE: 0.02, STEP: 0.01}

    def give(name: str, setting: RunConfig) -> Run:
        nonlocal now
        now += 0.5 if setting.look else 24.3
        return run(step=steps[name], device=device)

    monkeypatch.setattr("time.monotonic", lambda: now)
    outcome, runner = verified(tmp_path, give, one="throughput")
    assert not [setting for _, setting in runner.asked if setting.profile]
    assert any("the budget was used up" in note for note in outcome.notes)
    assert now <= 150


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "dlint: the profiler of torch: RuntimeError: no",
            "the profiler of torch: RuntimeError: no",
        ),
        ("W: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\nbye", "W: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
        ("bye", "the profiler of torch recorded nothing"),
    ],
)
def test_a_device_that_could_not_be_profiled_is_told(tmp_path: Path, said: str, why: str) -> None:
    device = DeviceTime(1.0, 0.5, {}, 0, 0.0, 0.0)

    def give(name: str, setting: RunConfig) -> Run:
        made = run(step={BASE: 0.02, STEP: 0.01}[name], device=device)
        return replace(made, devices={}, stderr=said) if setting.profile else made

    outcome, _ = verified(tmp_path, give, one="throughput")
    assert outcome.notes[-1] == f"what the GPU does was not seen: {why}"
    assert "what an epoch takes beyond its steps was not seen" in outcome.notes[0]
    assert outcome.results[0].verdict is Verdict.CONFIRMED


def test_gpu_without_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no device"):
        verified(tmp_path, lambda name, setting: run(), gpu=True, one="throughput")


def test_gpu_without_one_where_the_script_fails_for_that(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no device"):
        verified(tmp_path, lambda name, setting: run(code=1), gpu=True, one="throughput")


def test_gpu_is_asked_of_the_first_look(tmp_path: Path) -> None:
    looked: list[str] = []

    def give(name: str, setting: RunConfig) -> Run:
        looked.append(name)
        return run()

    with pytest.raises(UsageError, match="no device"):
        verified(tmp_path, give, gpu=True, one="throughput")
    assert looked == [BASE]
