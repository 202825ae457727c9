"""`dlint doctor` from its arguments to its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from dlint.cli.main import main
from tests.doctor.programs import PROGRAMS, written
from tests.doctor.test_report import SCHEMA

EXAMPLE = Path(__file__).parents[2] / "docs/examples/training/images.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, all_warm: None) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


def test_a_script_is_examined(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = EXAMPLE.read_text("utf-8").replace("print(epoch", "open('log', 'w'); print(epoch")
    (project / "train.py").write_text(text, "utf-8")
    words = ["doctor", "train.py", "--time", "9s", "--report", "r.html", "-q"]
    assert main([*words, "--output-format", "json", "--", "--seed", "1"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    found = json.loads(told.out)
    jsonschema.validate(found, json.loads(SCHEMA.read_text("utf-8")))
    assert found["answer"]["kind"] == "loading"
    assert found["command"][-2:] == ["--seed", "1"]
    (remedy,) = [one for one in found["remedies"] if one["rule"] == "zero-workers"]
    assert remedy["command"] == "dlint verify train.py --select zero-workers -- --seed 1"
    assert remedy["gain"] == pytest.approx(found["ceiling"]["gain"], abs=1e-3)
    page = (project / "r.html").read_text("utf-8")
    assert found["answer"]["sentence"] in page
    assert (project / "train.py").read_text("utf-8") == text
    assert not (project / "log").exists()


def test_a_script_without_a_loader(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("import torch\nprint('done')\n", "utf-8")
    assert main(["doctor", "train.py", "--time", "5s", "--output-format", "json"]) == 4
    told = capsys.readouterr()
    assert "no DataLoader of torch was read" in told.err
    found = json.loads(told.out)
    jsonschema.validate(found, json.loads(SCHEMA.read_text("utf-8")))
    assert "no DataLoader of torch was read" in found["failure"]


def test_a_script_that_fails_is_told_with_what_was_seen(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(written(PROGRAMS["a sample of another shape"]), "utf-8")
    assert main(["doctor", "train.py", "--time", "5s", "-q"]) == 4
    told = " ".join(capsys.readouterr().out.split())
    assert "what binds it could not be told" in told
    assert "the sample at index 37 is {x: (9), y: int}" in told
    assert "Trying to resize storage" in told


def test_what_is_asked_wrongly(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").touch()
    for words, said in (
        (["nowhere.py"], "there is no script nowhere.py"),
        ([], "give a script"),
        (["train.py", "--report", "no/r.html"], "there is no folder no"),
        (["train.py", "--epochs", "3"], "`dlint doctor train.py -- --epochs 3`"),
        (["train.py", "--gpu"], "there is no device"),
    ):
        assert main(["doctor", *words]) == 2
        assert said in capsys.readouterr().err


def test_a_dry_run_runs_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text("open('ran', 'w')\n", "utf-8")
    assert main(["doctor", "train.py", "--dry-run", "--time", "20s"]) == 0
    told = capsys.readouterr().out
    assert "up to 20 s" in told
    assert "files: " in told
    assert not (project / "ran").exists()
