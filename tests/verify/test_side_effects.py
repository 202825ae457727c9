"""What a measured script may touch, and what is said of it before the first run."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dlint.cli.verify_output import announce
from dlint.cli.verify_progress import Lines
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.probe.dlint_probe import loggers as redirected
from dlint.verify.run import compile_cache, live, loggers
from dlint.verify.run.runner import Runner


def test_loggers_are_kept_offline(tmp_path: Path) -> None:
    variables = loggers.environment(str(tmp_path))
    assert variables["WANDB_MODE"] == "disabled"
    assert variables["CLEARML_OFFLINE_MODE"] == "1"
    assert variables["COMET_START_ONLINE"] == "0"
    assert variables["NEPTUNE_MODE"] == "offline"
    for name in ("NEPTUNE_DATA_DIRECTORY", "NEPTUNE_LOG_DIRECTORY", "COMET_OFFLINE_DIRECTORY"):
        assert variables[name].startswith(str(tmp_path))
    assert variables["MLFLOW_TRACKING_URI"].startswith(f"file://{tmp_path}")


def test_what_torch_compiles_is_kept_from_run_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    with Runner(TargetScript(tmp_path / "train.py"), tmp_path) as runner:
        runs = [runner._environment(tmp_path / name, tmp_path / "probe.json") for name in "12"]
        assert runs[0]["TMPDIR"] != runs[1]["TMPDIR"]
        caches = {run["TORCHINDUCTOR_CACHE_DIR"] for run in runs}
        assert caches == {str(runner.folder / "inductor")}
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/kept")
        mine = runner._environment(tmp_path / "3", tmp_path / "probe.json")
        assert mine["TORCHINDUCTOR_CACHE_DIR"] == "/kept"


def test_what_was_compiled_before_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    own = tmp_path / "torchinductor_a_b"
    (own / "fxgraph").mkdir(parents=True)
    (own / "fxgraph" / "key").write_text("mine")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("getpass.getuser", lambda: "a/b")
    with Runner(TargetScript(tmp_path / "train.py"), tmp_path) as runner:
        kept = runner.compiled / "fxgraph" / "key"
        assert kept.read_text() == "mine"
        kept.write_text("changed")
    assert (own / "fxgraph" / "key").read_text() == "mine"
    monkeypatch.setattr(compile_cache, "_MOST", 3)
    with Runner(TargetScript(tmp_path / "train.py"), tmp_path) as runner:
        assert not runner.compiled.exists(), "what is large is not copied"


class _Hanging:
    """A run that never comes to its first step; its compiler wrote something at some moments."""

    def __init__(self, folder: Path) -> None:
        self.out, self.began = folder, 0.0

    def ended(self) -> bool:
        return False


@pytest.mark.parametrize(("until", "ended"), [(0, 300), (500, 560), (10_000, 1200)])
def test_a_compiler_that_works_is_given_time(
    until: int, ended: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("time.time", lambda: now)
    monkeypatch.setattr(live, "newest", lambda folder: min(now, until) if until else None)
    monkeypatch.setattr(live._Watch, "_unreached", lambda self, now: None)
    monkeypatch.setattr(live._Watch, "_sample", lambda self, now: None)
    given: Any = _Hanging(tmp_path)
    watched = live._Watch(given, live.Limits(300, 60, tmp_path), sampled=False)
    while watched.goes_on():
        now += 10
    assert "no training step within 300 s" in (watched.over or "")
    assert now == pytest.approx(ended, abs=70)
    now = 0.0
    watched = live._Watch(given, live.Limits(300, 60, tmp_path, ends=50), sampled=False)
    while watched.goes_on():
        now += 10
    assert (watched.over, now) == (live.OUT_OF_TIME, 60)


def test_event_files_of_tensorboard_go_to_the_scratch_folder(tmp_path: Path) -> None:
    class SummaryWriter:
        def __init__(self, log_dir: Any = None, comment: str = "") -> None:
            self.log_dir, self.comment = log_dir, comment

    module = ModuleType("torch.utils.tensorboard.writer")
    module.SummaryWriter = SummaryWriter  # type: ignore[attr-defined]
    redirected.redirect(module, str(tmp_path))
    for writer in (SummaryWriter("runs/1", comment="x"), SummaryWriter(comment="x")):
        assert (writer.log_dir, writer.comment) == (str(tmp_path), "x")
    redirected.redirect(ModuleType("tensorboardX.writer"), str(tmp_path))


@pytest.mark.parametrize("careful", [True, False])
def test_what_is_said_before_the_first_run(
    careful: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = argparse.Namespace(budget=600.0, keep_loggers=not careful)
    announce(Lines(), TargetScript(tmp_path / "train.py"), (), given, ["nothing is lost"])
    said = capsys.readouterr().err
    assert "stopped in the midst of training" in said
    assert "10 min in all (`--budget`)" in said
    assert "\n  nothing is lost\n" in said
    assert ("Kept offline: W&B, MLflow" in said) is careful
