"""The acceptance on a CUDA device; its programs are checked on every machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from dlint.cli.verify_findings import find
from tests.tools import gpu_acceptance
from tests.tools.__main__ import main
from tests.tools.gpu_acceptance import EXPECTED, PROGRAMS, markdown, row

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some versions warn of what is installed beside them
    import torch

pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("rule", sorted(set(EXPECTED) - {"itself"}))
def test_each_program_has_its_mistake(rule: str, tmp_path: Path) -> None:
    shutil.copytree(PROGRAMS, tmp_path / "programs")
    (tmp_path / "programs" / "pyproject.toml").write_text("[project]\nname = 'programs'\n")
    script = tmp_path / "programs" / f"{rule.replace('-', '_')}.py"
    found = find(script, [rule], None)
    names = [c.rule for c in found.candidates] + [n.name for n in found.not_tried]
    assert names == [rule]
    assert bool(found.not_tried) == (EXPECTED[rule] == {"not-tried"})


def test_the_table() -> None:
    fix = {"rule": "missing-pin-memory", "verdict": "confirmed", "speedup": 1.5, "low": 1.4}
    document = {
        "fixes": [fix | {"high": 1.6, "pairs": 4, "why": ""}],
        "not_tried": [],
        "environment": {"gpu": "X", "torch": "2.13.0", "cuda": "13.0"},
    }
    rows = [row("missing-pin-memory", document) | {"seconds": 3}]
    assert rows[0]["right"]
    assert "| missing-pin-memory | confirmed | yes | 1.500x | 1.400..1.600 | 4 | 3 |" in markdown(
        rows
    )


def _verified(command: Sequence[str], folder: Path, log: Path, limit: float) -> int:
    """Stands for a verification: the verdict is the first that is expected."""
    output = Path(command[command.index("--output-file") + 1])
    name = output.stem
    log.write_text("so")
    fix = {"rule": name, "verdict": sorted(EXPECTED[name])[0], "speedup": None, "pairs": 0}
    facts = {"gpu": "X", "torch": "2.11.0", "cuda": "13.0"}
    output.write_text(json.dumps({"fixes": [fix], "not_tried": [], "environment": facts}))
    assert limit > 0
    assert (folder / "common.py").exists()
    return 0


def test_everything_is_run_and_kept_as_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(gpu_acceptance, "_run", _verified)
    assert main(["gpu-acceptance", str(tmp_path / "out")]) == 0
    rows = json.loads((tmp_path / "out" / "acceptance.json").read_text("utf-8"))
    assert {found["rule"] for found in rows} == set(EXPECTED)
    assert "GPU: X, torch 2.11.0, CUDA 13.0" in capsys.readouterr().out
    monkeypatch.setattr(gpu_acceptance, "_run", lambda *given: 4)
    assert main(["gpu-acceptance", str(tmp_path / "other")]) == 1
    assert "| none | NO |" in (tmp_path / "other" / "acceptance.md").read_text("utf-8")


def test_a_verification_that_takes_too_long_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/wheels")
    gpu_acceptance.hear_interrupts()
    text = "import os, time; print(os.environ['PYTHONPATH'], flush=True); time.sleep(60)"
    log = tmp_path / "log"
    assert gpu_acceptance._run([sys.executable, "-c", text], tmp_path, log, 1.0) != 0
    first, _, rest = log.read_text().partition(os.linesep)
    assert first.split(os.pathsep)[1] == "/wheels"
    assert "KeyboardInterrupt" in rest


def test_a_verification_that_does_not_hear_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_acceptance, "_ENDING", 0.2)
    text = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"
    began = time.monotonic()
    code = gpu_acceptance._run([sys.executable, "-c", text], tmp_path, tmp_path / "log", 1.0)
    assert code == -signal.SIGKILL
    assert time.monotonic() - began < 30


@pytest.mark.gpu
def test_acceptance(tmp_path: Path) -> None:
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    assert main(["gpu-acceptance", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "acceptance.json").read_text("utf-8"))
    assert all(found["right"] for found in rows)
