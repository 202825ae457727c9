"""Workers of a notebook that is run where they are spawned: they find none of its classes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.cli.main import main

_CELL = """\
from PIL import Image
from torch.utils.data import DataLoader, Dataset, random_split


class Pictures(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __getitem__(self, index):
        return Image.open(f"{self.folder}/{index}.png")

    def __len__(self):
        return 1_000_000


def train(model):
    ours, _ = random_split(Pictures(FOLDER), [0.9, 0.1])
    loader = DataLoader(ours, batch_size=64, shuffle=True, OPTIONS)
    for epoch in range(100):
        for pictures in loader:
            model(pictures.cuda()).backward()


train(make_model())
"""
_WINDOWS, _LINUX = r'r"D:\pictures\train"', '"/home/somebody/pictures"'
_PRINTED = '"/data/pictures"'
"""In a notebook that was last run on Windows."""
_LISTED = '"pictures"'
"""In a project whose packages were listed on Windows, with a torch that may have CUDA."""


@pytest.mark.parametrize(
    ("folder", "options", "rule", "severity"),
    [
        (_WINDOWS, "drop_last=True", "zero-workers", "info"),
        (_LINUX, "drop_last=True", "zero-workers", "warning"),
        (_WINDOWS, "num_workers=4", "missing-persistent-workers", "info"),
        (_LINUX, "num_workers=4", "missing-persistent-workers", "warning"),
        (_PRINTED, "drop_last=True", "zero-workers", "info"),
        (_PRINTED, "num_workers=4", "missing-persistent-workers", "info"),
        (_LISTED, "drop_last=True", "zero-workers", "info"),
        (_LISTED, "num_workers=4", "missing-persistent-workers", "warning"),
    ],
)
def test_a_class_of_a_notebook_has_no_spawned_workers(
    folder: str,
    options: str,
    rule: str,
    severity: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if folder == _LISTED:
        (tmp_path / "requirements.txt").write_text("torch==2.9.1+cu128\n", "utf-16")
    source = _CELL.replace("FOLDER", folder).replace("OPTIONS", options)
    warned = r"c:\Users\me\venv\Lib\site-packages\torch\utils.py:1: UserWarning" + "\n"
    printed = {"output_type": "stream", "name": "stderr", "text": ["begun\n", warned]}
    outputs = [printed] if folder == _PRINTED else []
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": outputs}
    kernel = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 2, "metadata": kernel}
    monkeypatch.chdir(tmp_path)
    Path("train.ipynb").write_text(json.dumps({"cells": [{**cell, "source": source}], **notebook}))
    main(["check", "--select", rule, "--isolated", "--output-format", "json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert found["severity"] == severity
    hindered = any("cannot be sent" in related["message"] for related in found["related"])
    assert hindered == (severity == "info" and rule == "zero-workers")
