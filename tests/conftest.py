"""Programs written in tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import libcst
import pytest
from hypothesis import settings

from dlint.analyses.context import AnalysisContext
from dlint.ir.lower import lower
from dlint.semantics.project import Project
from dlint.workspace.reading import read

settings.register_profile("same every time", max_examples=60, derandomize=True, deadline=None)
settings.load_profile("same every time")

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.fixture(scope="session", autouse=True)
def _no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests keep nothing in the user's cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What dlint notes beside projects is kept apart from what the user's dlint does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", os.fspath(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def context(tmp_path: Path) -> MakeProgram:
    """Analyses one text, or several files by their names, of which all are read."""

    def make(texts: str | Mapping[str, str]) -> AnalysisContext:
        files = {"main.py": texts} if isinstance(texts, str) else texts
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), "utf-8")
        modules = sorted(str(tmp_path / name) for name in files if name.endswith(".py"))
        project = Project(
            frozenset(modules),
            lambda path: lower(read(path)),
            lambda path: Path(path).read_bytes(),
        )
        return AnalysisContext(project, modules)

    return make


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that libcst parses from then on."""
    texts: list[str] = []
    parse = libcst.parse_module

    def seen(text: str) -> libcst.Module:
        texts.append(text)
        return parse(text)

    monkeypatch.setattr(libcst, "parse_module", seen)
    return texts
