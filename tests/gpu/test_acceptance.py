"""The acceptance on a CUDA device; its programs are checked on every machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from dlint.cli.verify_findings import find
from dlint.dev.__main__ import main
from dlint.dev.gpu_acceptance import EXPECTED, PROGRAMS, markdown, row


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


@pytest.mark.gpu
def test_acceptance(tmp_path: Path) -> None:
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    assert main(["gpu-acceptance", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "acceptance.json").read_text("utf-8"))
    assert all(found["right"] for found in rows)
