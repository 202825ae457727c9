"""What lies beside code: the settings files that it reads, found and parsed when it is asked what
they hold, and what notebooks keep of their runs."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.frontends.settings_files import Branch, Document, Tree, lowered
from dlint.workspace import asked
from dlint.workspace.kinds import PYTHON, is_config, kind_of
from dlint.workspace.spelling import normal

if TYPE_CHECKING:
    from dlint.workspace.source import Source

    Read = Callable[[str], Source | None]

MOST_BYTES = 50_000
"""The size from which a file holds data, and no settings that people write."""
_SPEAKS_OF_LOADING = lazily(
    rb"(?i)worker|batch|pin_?mem|prefetch|persist|shuffle|drop_?last|loader|thread|timeout"
)

_DEFAULTS = lazily(r"^defaults:", re.M)


class Documents:
    """Settings files below the root of a project."""

    def __init__(self, root: str, read: Read) -> None:
        self.root = root.rstrip("/")
        self._read = read
        self._trees: dict[str, Tree | None] = {}
        self._made: dict[object, Document | None] = {}
        self._primaries: dict[str, list[str]] = {}
        self._candidates: dict[tuple[str, str, range], list[str]] = {}

    def find(self, module: str, name: str) -> str | None:
        """The one file that a path in the code of a module may mean; None where several might.

        A program may be started in the folder of the module, or in one around it.
        """
        found = self._meant(module, name)
        return found[0] if len(found) == 1 else None

    def is_missing(self, module: str, name: str) -> bool:
        """Whether a path in the code of a module means no file that is there."""
        return not self._meant(module, name)

    def _meant(self, module: str, name: str) -> list[str]:
        if os.path.isabs(name):  # noqa: PTH117
            return [path for path in (self._existing(normal(name)),) if path is not None]
        found, folder = list[str](), posixpath.dirname(module)
        while self.is_inside(folder):
            path = self._existing(normal(f"{folder}/{name}"))
            if path is not None and path not in found:
                found.append(path)
            folder = folder.rpartition("/")[0]
        return found

    def printed(self, path: str) -> dict[int, str]:
        """What the cells of a notebook printed when they were last run, by their numbers."""
        source = self._read(path)
        return {} if source is None else source.printed

    def file(self, path: str, *, is_default: bool, interpolates: bool) -> Document | None:
        """What a file holds; None where it is not known to hold settings of loaders.

        `interpolates`: its reader follows `${a.b}`.
        """
        key = (path, is_default, interpolates)
        if key not in self._made:
            tree = self.tree(path) if self._speaks(path) else None
            if tree is not None and interpolates:
                from dlint.frontends.interpolations import resolved

                tree = resolved(tree)
            made = None if tree is None else lowered(tree, is_default=is_default)
            self._made[key] = made
        return self._made[key]

    def among(self, module: str, kind: str, *, interpolates: bool) -> Document | None:
        """What the files of a kind hold of which the code of a module may read one.

        `kind`: their suffix. They are those nearest to the module; None where there are none.
        """
        from dlint.frontends.candidates import DEPTHS

        for depths in DEPTHS:
            folder = posixpath.dirname(module)
            while self.is_inside(folder):
                if paths := self._below(folder, kind, depths):
                    key = (folder, kind, interpolates)
                    if key not in self._made:
                        self._made[key] = self._joined(paths, interpolates=interpolates)
                    return self._made[key]
                folder = folder.rpartition("/")[0]
        return None

    def _below(self, folder: str, kind: str, depths: range) -> list[str]:
        """The files of a kind below a folder that speak of loading; found once."""
        asked_for = folder, kind, depths
        if asked_for not in self._candidates:
            from dlint.frontends.candidates import paths_below

            found = [path for path in paths_below(folder, kind, depths) if self._speaks(path)]
            is_data = kind != PYTHON
            found = [path for path in found if is_data or self.tree(path) is not None]
            self._candidates[asked_for] = found
        return self._candidates[asked_for]

    def _joined(self, paths: list[str], *, interpolates: bool) -> Document | None:
        from dlint.frontends.candidates import joined
        from dlint.frontends.interpolations import resolved

        trees = [tree for path in paths if (tree := self.tree(path)) is not None]
        trees = [resolved(tree) for tree in trees] if interpolates else trees
        found = joined(trees)
        if found is None:
            return None
        document = lowered(found, is_default=True, among=len(trees))
        document.files = tuple(tree for tree in trees if isinstance(tree, Branch))
        return document

    def composed(self, folder: str, name: str, *, is_own_last: bool = False) -> Document | None:
        """What Hydra composes of a primary config and its defaults list, unless told otherwise."""
        key = (folder, name, is_own_last)
        if key not in self._made:
            from dlint.frontends.hydra_defaults import composed

            tree = composed(self, normal(folder), name, is_own_last=is_own_last)
            self._made[key] = None if tree is None else lowered(tree, is_default=True)
        return self._made[key]

    def is_inside(self, folder: str) -> bool:
        """Whether a folder is the root of the project, or below it."""
        return folder == self.root or folder.startswith(self.root + "/")

    def primaries(self, folder: str) -> list[str]:
        """The YAML files of a folder of the project that have a defaults list."""
        if folder not in self._primaries:
            names = asked.names_in(folder, r".*\.ya?ml")
            paths = [f"{folder}/{name}" for name in names]
            self._primaries[folder] = [
                path.rpartition("/")[2]
                for path in paths
                if _DEFAULTS.search(self.text(path) or "") is not None
            ]
        return self._primaries[folder]

    def tree(self, path: str) -> Tree | None:
        """The data of a file; None where it cannot be read as settings."""
        if path not in self._trees:
            self._trees[path] = None
            source = self._read(path) if self._existing(path) else None
            if source is not None:
                self._trees[path] = self._parsed(path, source.text)
        return self._trees[path]

    def _parsed(self, path: str, text: str) -> Tree | None:
        """The data of a text, by the kind of its file."""
        if kind_of(path) == PYTHON:
            from dlint.frontends.python_trees import tree_of_python

            return tree_of_python(path, text, self.tree)
        from dlint.frontends.trees import tree_of

        return tree_of(path, text)

    def text(self, path: str) -> str | None:
        """The text of a file that can be read as settings."""
        source = self._read(path) if self._existing(path) else None
        return None if source is None else source.text

    def _speaks(self, path: str) -> bool:
        text = self.text(path)
        return text is not None and _SPEAKS_OF_LOADING.search(text.encode()) is not None

    def _existing(self, path: str) -> str | None:
        """The path, if a file of the project stands there that people may have written."""
        is_read = is_config(path) or kind_of(path) == PYTHON
        if not is_read or not path.startswith(self.root + "/"):
            return None
        return path if asked.is_small(path, MOST_BYTES + 1) else None
