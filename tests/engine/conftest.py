"""Projects in, diagnostics out; and what processes did, noted where all of them can write."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Outcome, Request
from dlint.frontends.modules import Modules
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

Analyse = Callable[..., Outcome]


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file that holds the names of all that was lowered, each with the process that did it."""
    noted, lower = tmp_path / "lowered", Modules._lowered

    def seen(self: Modules, source: Source) -> object:
        with noted.open("a") as file:
            file.write(f"{Path(source.path).name} {os.getpid()}\n")
        return lower(self, source)

    noted.touch()
    monkeypatch.setattr(Modules, "_lowered", seen)
    return noted


@pytest.fixture
def check(tmp_path: Path) -> Analyse:
    """Writes files and checks those that are named, or all."""

    def check(files: Mapping[str, str | bytes], *reported: str) -> Outcome:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths = frozenset(str(tmp_path / name) for name in reported or files)
        request = Request(
            root=tmp_path,
            files=tuple(tmp_path / name for name in files),
            reported=paths,
            rules=frozenset(rule_docs.summaries()),
        )
        return analyse(request, Sources())

    return check
