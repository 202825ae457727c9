"""Small folders of repositories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

MakeCorpus = Callable[[Mapping[str, str]], Path]

TRAINING = """\
    import torch
    from torch.utils.data import DataLoader


    def train(dataset, model, optimizer):
        loader = DataLoader(dataset, 64, num_workers=4, persistent_workers=True)
        for epoch in range(10):
            for x, y in loader:
                x, y = x.cuda(), y.cuda()
                model(x, y).backward()
                optimizer.step()
"""
"""A program with one finding, which has a fix."""


@pytest.fixture
def make_corpus(tmp_path: Path) -> MakeCorpus:
    """Writes files, given by `repository/path`, below one folder."""

    def make(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "corpus" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), "utf-8")
        return tmp_path / "corpus"

    return make


@pytest.fixture
def training() -> str:
    """The text of a program with one finding."""
    return TRAINING
