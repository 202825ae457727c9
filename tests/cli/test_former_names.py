"""A rule that was renamed or merged is still named as before, wherever rules are named."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.cli.main import main

BAD = """\
from torch.utils.data import DataLoader


def train(dataset, model):
    loader = DataLoader(dataset, batch_size=64, num_workers=8){comment}
    for images in loader:
        model(images.cuda(non_blocking=True)).backward()
"""
ALIASES = 'aliases: [unpinned-loader, "DLT199"]\n'


@pytest.fixture(autouse=True)
def renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`missing-pin-memory` was called `unpinned-loader` (DLT199) once."""
    pages = shutil.copytree(rule_docs.root(), tmp_path / "pages")
    page = pages / "missing-pin-memory.md"
    text = page.read_text("utf-8")
    page.write_text(text.replace("claim: throughput\n", "claim: throughput\n" + ALIASES), "utf-8")
    kept = (rule_docs.catalogue, rule_docs.by_code, rule_docs.index)
    monkeypatch.setattr(rule_docs, "root", lambda: pages)
    for cached in kept:
        cached.cache_clear()
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    yield
    for cached in kept:
        cached.cache_clear()


def _check(comment: str = "", *flags: str) -> int:
    Path("train.py").write_text(BAD.format(comment=comment))
    return main(["check", "--no-cache", "-q", "--output-format", "concise", *flags])


@pytest.mark.parametrize("name", ["unpinned-loader", "DLT199", "missing-pin-memory", "DLT101"])
def test_it_selects_ignores_and_suppresses(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _check("", "--select", name) == 1
    assert "DLT101 missing-pin-memory" in capsys.readouterr().out
    assert _check("", "--ignore", name) == 0
    assert _check(f"  # dlint: ignore[{name}] as before") == 0
    if name.startswith("DLT"):
        assert _check(f"  # noqa: {name}") == 0
    assert capsys.readouterr().out == ""


def test_it_counts_in_a_configuration() -> None:
    Path("dlint.toml").write_text('ignore = ["unpinned-loader"]\n')
    assert _check() == 0
    Path("dlint.toml").write_text('[per-file-ignores]\n"train.py" = ["DLT199"]\n')
    assert _check() == 0


def test_its_page_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "unpinned-loader"]) == 0
    assert "missing-pin-memory" in capsys.readouterr().out
