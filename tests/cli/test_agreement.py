"""What is said of a file does not depend on what else was given: hooks and CI agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint.cli.main import main

FILES = {
    "pyproject.toml": '[project]\nname = "x"\n',
    "app/__init__.py": "",
    "app/data.py": (
        "from torch.utils.data import DataLoader\n\n\n"
        "def make_loader(dataset):\n"
        "    return DataLoader(dataset, batch_size=64, num_workers=4)\n"
    ),
    "app/loop.py": (
        "def train_one_epoch(model, loader):\n"
        "    for batch, target in loader:\n"
        "        loss = model(batch.cuda(), target.cuda())\n"
        "        loss.backward()\n"
    ),
    "train.py": (
        "from app.data import make_loader\nfrom app.loop import train_one_epoch\n\n\n"
        "def main(model, dataset):\n"
        "    loader = make_loader(dataset)\n"
        "    train_one_epoch(model, loader)\n"
    ),
    "unused.py": "x = 1  # dlint: ignore[missing-pin-memory]\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose findings rest on several files."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _findings(capsys: pytest.CaptureFixture[str], *paths: str) -> Iterator[dict[str, object]]:
    assert main(["check", "--no-cache", "--output-format", "json", *paths]) in {0, 1}
    yield from json.loads(capsys.readouterr().out)


def test_a_file_alone_and_in_its_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everything = list(_findings(capsys))
    assert {Path(str(d["filename"])).name for d in everything} >= {"data.py", "unused.py"}
    for path in project.rglob("*.py"):
        own = [d for d in everything if d["filename"] == str(path)]
        assert list(_findings(capsys, str(path))) == own
    below = [d for d in everything if str(d["filename"]).startswith(str(project / "app"))]
    assert list(_findings(capsys, "app")) == below
