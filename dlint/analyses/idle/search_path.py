"""Where a script of a project looks for modules, as far as its files say.

Question: may a file, when it is run or imported, find a module that lies in one of these folders?
Counted as the path: the folder of the file and of every script that may import it, with all folders
around them up to the project's top, except packages; and what a packaging file installs from. Given
up on, so that the answer is yes: files that change `sys.path`, or import one that does; projects
whose texts speak of `PYTHONPATH`; modules of the standard library and of declared distributions.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.workspace import asked
from dlint.workspace.scan import CHANGES_PATH

if TYPE_CHECKING:
    from dlint.semantics.project import Project

_PACKAGING = ("setup.py", "pyproject.toml", "setup.cfg")
_SOURCES = ("", "/src", "/lib", "/python")
"""Folders beside a packaging file from which packages are installed."""
_TEXTS = (
    r"(?i)(?:readme|dockerfile|makefile|\.env).*"
    r"|.*\.(?:md|rst|txt|sh|bash|bat|ps1|ya?ml|toml|cfg|ini|json|in)"
)
_LEAVING_OUT = ("setup.py", ".gitignore")
_LARGEST = 500_000
"""Bytes of a text that is read."""
_MOST = 60
"""Texts of a folder that are read."""
_PATH_WORDS = (b"sys.path", b"pythonpath", b"addsitedir", b"package_dir", b"extrapaths")
"""What says that the path is another, in small letters."""
_BEFORE = rb"(?im)(?:^\s*(?:-\s*)?[\"']?|\binstall\s[^\n]*?(?<![\w./-]))"
_BEHIND = rb"[\"']?\s*(?:$|[=<>~!,;\[#])"
"""What stands around a requirement: a line of its own, or behind `pip install`."""


class SearchPath:
    """Which folders may be on the path of the files of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._texts: dict[str, bytes] = {}
        self._words: dict[str, frozenset[bytes]] = {}
        self._users: dict[str, set[str]] = {}
        self._declared: dict[tuple[str, str], bool] = {}
        self._packaged: dict[str, bool] = {}

    def may_find(
        self, importer: str, module: str, homes: Mapping[str, str], before: Iterable[str]
    ) -> bool:
        """Whether a file may find a module that lies in these folders (each with where it is).

        `before` are the files that it has imported until then.
        """
        first = module.partition(".")[0]
        if first in sys.stdlib_module_names:
            return True
        if any(self.is_around(root, importer) or root in self._installed(root) for root in homes):
            return True
        users = self._users_of(importer)
        entries = self._entries(users)
        if not entries.isdisjoint(homes) or any(_holds(entry, first) for entry in entries):
            return True
        near = {importer, *before, *users}
        near |= {t for user in users - {importer} for t in self._project.graph.targets(user)}
        near -= {*homes.values()}
        return self._is_changed(importer, near) or self.is_declared(importer, first)

    def _users_of(self, importer: str) -> set[str]:
        """A file, and all that may import it."""
        if importer not in self._users:
            self._users[importer] = self._project.graph.importers([importer])
        return self._users[importer]

    def is_around(self, folder: str, importer: str) -> bool:
        """Whether a folder is above a file, or its own, and no package."""
        return importer.startswith(folder + "/") and not self._is_package(folder)

    def leaves_out(self, importer: str, part: str) -> bool:
        """Whether a build writes a module of this name, or git is told not to keep it."""
        folders = self._around(importer.rpartition("/")[0])
        return any(part.encode() in self._left_out(folder) for folder in folders)

    def _left_out(self, folder: str) -> frozenset[bytes]:
        """The words of the files of a folder that name what is written by a build, or not kept."""
        if folder not in self._words:
            texts = (asked.content(f"{folder}/{name}", _LARGEST) for name in _LEAVING_OUT)
            self._words[folder] = frozenset(re.findall(rb"\w+", b"\n".join(filter(None, texts))))
        return self._words[folder]

    @cached_property
    def _top(self) -> str:
        """The folder that holds all files of the project and is no package."""
        top = posixpath.commonpath([p.rpartition("/")[0] for p in self._project.files])
        while self._is_package(top):
            top = top.rpartition("/")[0]
        return top

    def _entries(self, users: Iterable[str]) -> set[str]:
        """The folders on the path when one of some files is the script."""
        found: set[str] = set()
        for path in users:
            folder = path.rpartition("/")[0]
            around = [f for f in self._around(folder) if not self._is_package(f)]
            found |= {folder, *around, *self._installed(folder)}
        return found

    def _around(self, folder: str) -> Iterator[str]:
        """The folders above one, up to the top of the project."""
        while folder.startswith(self._top) and folder:
            yield folder
            folder = folder.rpartition("/")[0]

    def _is_package(self, folder: str) -> bool:
        return f"{folder}/__init__.py" in self._project.files

    def _installed(self, folder: str) -> Iterator[str]:
        for around in self._around(folder):
            if self._is_packaged(around):
                yield from (around + source for source in _SOURCES)

    def _is_packaged(self, folder: str) -> bool:
        """Whether a folder says how it is installed."""
        if folder not in self._packaged:
            found = any(asked.is_file(f"{folder}/{name}") for name in _PACKAGING)
            self._packaged[folder] = found
        return self._packaged[folder]

    def _is_changed(self, importer: str, near: Iterable[str]) -> bool:
        """Whether some files, or the texts around the importing one, may change the path."""
        if any(self._project.says(path, CHANGES_PATH) for path in sorted(near)):
            return True
        texts = [*map(self._project.text, sorted(near)), self._said(importer)]
        return any(word in text.lower() for text in texts for word in _PATH_WORDS)

    def is_declared(self, importer: str, name: str) -> bool:
        """Whether the texts around a file require or install a distribution of this name."""
        folder = importer.rpartition("/")[0]
        if (folder, name) not in self._declared:
            written = re.escape(name.encode()).replace(b"_", b"[-_]")
            found = re.search(_BEFORE + written + _BEHIND, self._said(importer))
            self._declared[folder, name] = found is not None
        return self._declared[folder, name]

    def speaks_of(self, importer: str, name: str) -> bool:
        """Whether a text or a packaging file around a file has a word."""
        word = name.encode()
        if re.search(rb"\b" + re.escape(word) + rb"\b", self._said(importer)) is not None:
            return True
        folders = self._around(importer.rpartition("/")[0])
        return any(word in self._left_out(folder) for folder in folders)

    def _said(self, importer: str) -> bytes:
        """The texts beside a file and in the folders around it."""
        return b"\n".join(map(self._text_of, self._around(importer.rpartition("/")[0])))

    def _text_of(self, folder: str) -> bytes:
        known = self._texts.get(folder)
        if known is None:
            known = self._texts[folder] = b"\n".join(_read(folder))
        return known


def _holds(folder: str, name: str) -> bool:
    """Whether a folder has a module of a name, be it one that is left out of the project."""
    return any(asked.exists(f"{folder}/{name}{suffix}") for suffix in ("", ".py", ".so", ".pyx"))


def _read(folder: str) -> Iterator[bytes]:
    named = [f"{folder}/{name}" for name in asked.names_in(folder, _TEXTS)]
    for file in named[:_MOST]:
        if asked.is_file(file) and asked.is_small(file, _LARGEST):
            yield asked.content(file, _LARGEST) or b""
