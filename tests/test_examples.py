"""The shipped example project: each mistake is found, and the fixes leave only what they must."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dlint.cli.main import main

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


def _findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str, str]]:
    """File, rule and the line that each finding points at."""
    main(["check", str(folder), "--output-format", "json", "--no-cache"])
    found = []
    for finding in json.loads(capsys.readouterr().out):
        path = Path(finding["filename"])
        line = path.read_text("utf-8").splitlines()[finding["location"]["row"] - 1]
        found.append((path.name, finding["name"], line.split()[0]))
    return sorted(found)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example that may be changed."""
    return shutil.copytree(
        EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("training")
    )


def test_every_mistake_is_found(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _findings(project, capsys) == [
        ("data.py", "eager-load-in-init", 'self.images.append(Image.open(path).convert("RGB"))'),
        ("data.py", "missing-persistent-workers", "train_loader"),
        ("data.py", "missing-persistent-workers", "val_loader"),
        ("data.py", "missing-set-epoch", "sampler"),
        ("data.py", "shuffle-with-sampler", "train_loader"),
        ("engine.py", "missing-non-blocking", "images,"),
    ]


def test_fixes_leave_what_needs_a_decision(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(project), "--fix", "--unsafe-fixes", "--no-cache"])
    capsys.readouterr()
    left = [rule for _, rule, _ in _findings(project, capsys)]
    assert left == ["eager-load-in-init", "missing-set-epoch"]
    data = (project / "data.py").read_text("utf-8")
    assert "shuffle=(sampler is None)" in data
    assert (project / "engine.py").read_text("utf-8").count("non_blocking=True") == 2
