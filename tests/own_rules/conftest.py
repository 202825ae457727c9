"""The package that `docs/own-rules.md` shows, installed and not."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.cli.main import main
from dlint.rule_docs import own

PAGE = Path(__file__).parent.parent.parent / "docs" / "own-rules.md"
_SHOWN = re.compile(r'^(`{3,})\w+ title="(?P<title>[^"]+)"\n(?P<text>.*?)^\1$', re.M | re.S)

Install = Callable[..., None]


def shown_files() -> dict[str, str]:
    """The files of the package, by their paths in it."""
    return {found["title"]: found["text"] for found in _SHOWN.finditer(PAGE.read_text("utf-8"))}


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by their paths below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _forget() -> None:
    caches = (own.installed, rule_docs.catalogue, rule_docs.by_code, rule_docs.index)
    for cached in caches:
        cached.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that Python imports from."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield folder
    monkeypatch.undo()
    _forget()
    for name in [name for name in sys.modules if name.partition(".")[0].startswith("acme")]:
        del sys.modules[name]


@pytest.fixture
def install(site: Path) -> Install:
    """Puts a package and its metadata there, as an installer does."""

    def install(
        files: Mapping[str, str], distribution: str = "acme-dlint", package: str = "acme_dlint"
    ) -> None:
        write(site, files)
        info = f"{distribution.replace('-', '_')}-1.0.dist-info"
        metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        points = f"[dlint.rules]\nacme = {package}\n"
        write(site, {f"{info}/METADATA": metadata, f"{info}/entry_points.txt": points})
        _forget()

    return install


@pytest.fixture
def dlint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in a project with a loader that has workers and no timeout."""
    project = tmp_path / "project"
    write(project, {"pyproject.toml": "", "train.py": TRAIN})
    monkeypatch.chdir(project)

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(list(argv))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


TRAIN = """\
from torch.utils.data import DataLoader


def make(dataset):
    return DataLoader(dataset, batch_size=64, num_workers=4)
"""
