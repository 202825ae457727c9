"""Repositories to put faults into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from dlint.workspace.source import Source
from tests.tools.inject.files import File
from tests.tools.inject.loops import Reading
from tests.tools.inject.names import Names

Read = Callable[..., Reading]


@pytest.fixture
def read() -> Read:
    """A reading of texts, given by module name."""

    def make(**texts: str) -> Reading:
        sources = (Source(f"/project/{name}.py", dedent(text)) for name, text in texts.items())
        files = [File.parsed(source) for source in sources]
        return Reading(Names(file for file in files if file is not None))

    return make


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """A folder with one repository, given by module name."""

    def make(**texts: str) -> Path:
        for name, text in texts.items():
            path = tmp_path / "corpus" / "a+one" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), "utf-8")
        return tmp_path / "corpus"

    return make
