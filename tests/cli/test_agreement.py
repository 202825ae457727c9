"""What is said of a file does not depend on what else was given: hooks and CI agree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.cli.main import main

FACTORY = {
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
CALLER = {
    "data.py": (
        "from torch.utils.data import DataLoader\n\n\n"
        "def make_loader(dataset, pin):\n"
        "    return DataLoader(dataset, 64, num_workers=4, pin_memory=pin)\n"
    ),
    "fast.py": (
        "from data import make_loader\n\n\n"
        "def run(dataset, step):\n"
        "    for x, y in make_loader(dataset, True):\n"
        "        step(x.cuda(non_blocking=True), y.cuda(non_blocking=True))\n"
    ),
    "slow.py": (
        "from data import make_loader\n\n\n"
        "def run(dataset, step):\n"
        "    for x, y in make_loader(dataset, False):\n"
        "        step(x.cuda(), y.cuda())\n"
    ),
}
COPIES = {
    "train.py": (
        "from torch.utils.data import DataLoader\n\nfrom moving import to_device\n\n\n"
        "def run(dataset, step):\n"
        "    for batch in DataLoader(dataset, 64, num_workers=4, pin_memory=True):\n"
        "        step(to_device(batch, 'cuda'))\n"
    ),
    "moving.py": "def to_device(batch, device):\n    return [x.to(device) for x in batch]\n",
    "constants.py": "SIZES = (1, 2)\n",
}
DATASET = {
    "base.py": "from torch.utils.data import Dataset\n\n\nclass Base(Dataset):\n    pass\n",
    "pets.py": (
        "from base import Base\nfrom PIL import Image\n\n\n"
        "class Pets(Base):\n"
        "    def __init__(self, paths):\n"
        "        self.images = [Image.open(path).convert('RGB') for path in paths]\n\n"
        "    def __getitem__(self, index):\n"
        "        return self.images[index]\n"
    ),
    "train.py": (
        "from torch.utils.data import DataLoader\n\nfrom pets import Pets\n\n"
        "def main():\n"
        "    for batch in DataLoader(Pets(['a', 'b']), 2, num_workers=2):\n"
        "        print(batch)\n"
    ),
}
TESTS = {
    "lib.py": (
        "from torch.utils.data import DataLoader\n\n\n"
        "def run(dataset, step):\n"
        "    for x in DataLoader(dataset, 64, num_workers=4):\n"
        "        step(x.cuda())\n"
    ),
    "tests/test_lib.py": (
        "from torch.utils.data import DataLoader, RandomSampler\n\n\n"
        "def test_both():\n"
        "    for x in DataLoader([1], sampler=RandomSampler([1]), shuffle=True):\n"
        "        x.cuda()\n"
    ),
}
BROKEN = {
    "train.py": (
        "from torch.utils.data import DataLoader\n\nfrom numbers_of import rows\n\n"
        "loader = DataLoader(rows(), 64)\n"
    ),
    "numbers_of.py": "ROWS = = 1\n",
    "alone.py": "ROWS = = 1\n",
    "old.py": "import torch\n\nprint torch.zeros(1)\n",
}
PROJECTS = {
    "factory": (FACTORY, {"app/data.py", "unused.py"}),
    "caller": (CALLER, {"slow.py"}),
    "copies": (COPIES, {"train.py"}),
    "dataset": (DATASET, {"pets.py"}),
    "tests": (TESTS, {"lib.py", "tests/test_lib.py"}),
    "broken": (BROKEN, {"numbers_of.py", "old.py"}),
}


@pytest.fixture(params=PROJECTS)
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a project whose findings rest on several files; its files are below."""
    files = {"pyproject.toml": '[project]\nname = "x"\n', **PROJECTS[request.param][0]}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return str(request.param)


def _findings(capsys: pytest.CaptureFixture[str], *paths: str) -> list[Mapping[str, object]]:
    command = ["check", "--no-cache", "--select", "ALL", "--output-format", "json", *paths]
    assert main(command) in {0, 1}
    found: list[Mapping[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_file_alone_and_in_its_project(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    everything = _findings(capsys)
    names = {Path(str(d["filename"])).relative_to(Path.cwd()).as_posix() for d in everything}
    assert names == PROJECTS[project][1]
    for path in Path.cwd().rglob("*.py"):
        own = [d for d in everything if d["filename"] == str(path)]
        assert _findings(capsys, str(path)) == own
    for folder in {path.parent for path in Path.cwd().rglob("*.py")}:
        below = [d for d in everything if Path(str(d["filename"])).is_relative_to(folder)]
        assert _findings(capsys, str(folder)) == below
