"""Copies of other repositories inside a project.

Question: does a file lie in a folder that is a copy of another repository, of which the project's
own code does not import it. A folder is one where its README tells to clone a repository of the
folder's own name, and no text above it does; or where the README calls it vendored. Given up on:
copies that say neither. Each folder is read once.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.workspace import asked

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_CLONED = re.compile(r"git\s+clone\s+[^\n]*?[/:]([\w.-]+?)(?:\.git)?/?(?=[\s`\"'<)]|$)")
_VENDORED = re.compile(r"\bvendored\b", re.I)
_BEGINNING = 400
"""Characters of a README in which it says what it is."""
_LARGEST = 500_000


class VendoredCode:
    """Which files are of a copy of another repository, and are not used by the project's own."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project = context.project
        self._folders: dict[str, bool] = {}
        self._known: dict[str, str | None] = {}

    def around(self, path: str) -> str | None:
        """The folder of the copy that a file lies in; None where it lies in none, or is used."""
        if path not in self._known:
            copy = next((f for f in self._above(path) if self._is_copy(f)), None)
            self._known[path] = None if copy is None or self._is_used(path, copy) else copy
        return self._known[path]

    def _above(self, path: str) -> list[str]:
        """The folders around a file outside of which the project has code, from the outermost."""
        found = []
        folder = path.rpartition("/")[0]
        while folder and not all(p.startswith(folder + "/") for p in self._project.files):
            found.append(folder)
            folder = folder.rpartition("/")[0]
        return found[::-1]

    def _is_copy(self, folder: str) -> bool:
        if folder not in self._folders:
            text = _readme(folder)
            own = _plain(Path(folder).name)
            above = [_plain(n) for n in _CLONED.findall(_readme(folder.rpartition("/")[0]))]
            cloned = own in map(_plain, _CLONED.findall(text)) and own not in above
            vendored = _VENDORED.search(text[:_BEGINNING]) is not None
            self._folders[folder] = cloned or vendored
        return self._folders[folder]

    def _is_used(self, path: str, copy: str) -> bool:
        """Whether code outside of a copy imports a file of it."""
        users = self._project.graph.importers([path])
        return any(not user.startswith(copy + "/") for user in users)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]", "", name).lower()


def _readme(folder: str) -> str:
    """The text of the README of a folder; nothing where it has none."""
    for name in asked.names_in(folder):
        file = f"{folder}/{name}"
        if name.lower().startswith("readme") and asked.is_small(file, _LARGEST):
            return asked.beginning_of(file, _LARGEST)
    return ""
