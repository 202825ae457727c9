"""The modules of a run: read and lowered when first asked for, and what is wrong with the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dlint import catalogue
from dlint.diagnostic import Diagnostic, Severity
from dlint.errors import DlintCrash
from dlint.places import Place
from dlint.source import Source, Sources, UnreadableError

if TYPE_CHECKING:
    from dlint.index.lower import SyntaxProblem
    from dlint.index.model import ModuleIndex
    from dlint.index.store import Store


class Modules:
    """Sources and indexes by path; `cache_dir` is where indexes are kept between runs."""

    def __init__(self, sources: Sources, cache_dir: Path | None) -> None:
        self.problems: dict[str, Diagnostic] = {}
        """Why a file that was asked for has no index, by path."""
        self._sources = sources
        self._cache_dir = cache_dir
        self._indexes: dict[str, ModuleIndex | None] = {}

    def source(self, path: str) -> Source | None:
        """The text of a file; None where it cannot be read."""
        if path in self.problems and self.problems[path].name == "unreadable-file"
