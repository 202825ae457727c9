"""A notebook's modules, run by scripts that choose another device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.cli.main import main

NET = """
def run(loader, model, device):
    for batch in loader:
        model(batch.to(device)).backward()
"""
CELL = """
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from net import run

loader = DataLoader(ImageFolder("data"), batch_size=64, num_workers=4)
run(loader, model, "cuda")
"""
SCRIPT = """
import torch
from net import run

run(loader, model, torch.device("{device}"))
"""


@pytest.mark.parametrize(("device", "advised"), [("cuda", True), ("mps", False)])
def test_a_copy_that_a_script_makes_on_mps(
    device: str,
    advised: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": []}
    notebook = {"cells": [{**cell, "source": CELL}], "nbformat": 4, "metadata": {}}
    Path("run.ipynb").write_text(json.dumps(notebook))
    Path("net.py").write_text(NET)
    Path("script.py").write_text(SCRIPT.format(device=device))
    main(["check", "--select", "missing-pin-memory", "--isolated", "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)
    (told,) = [f for f in found if f["filename"].endswith(".ipynb")]
    assert ("non_blocking" in told["message"]) is advised
