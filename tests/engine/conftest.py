"""What processes did, noted where all of them can write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dlint.frontends.modules import Modules
from dlint.workspace.source import Source


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
