"""Which versions of torch and Python a project admits, by what it declares and by what it states.

A declaration decides: the nearest folder that has one, by its lock file, else by everything that
its requirements admit together; where no folder has any, by its Dockerfiles and what its CI
installs. A statement is weaker, see `version_facts`: a Dockerfile or a CI beside declarations, a
script that sets up an environment, what a README says; of a folder that nothing is said of, the
declaration that lies beside other code of the program, if there is one alone. All are read as text,
the first time that somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.library_facts.torch_versions import newest_for
from dlint.model.versions.version_files import (
    PYTHON,
    TORCH,
    TORCHDATA,
    TRANSFORMERS,
    Folder,
    Kind,
    Mention,
    Subject,
)
from dlint.model.versions.version_specifiers import OPEN, Admitted, together
from dlint.workspace.asked import exists
from dlint.workspace.roots import is_too_wide

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_DECLARED = (Kind.LOCK,), (Kind.DECLARATION,)
_BUILT = ((Kind.IMAGE,),)
_STATED = ((Kind.IMAGE, Kind.STATEMENT, Kind.PROSE),)
_Order = tuple[tuple[Kind, ...], ...]
"""Kinds of files: those that come first decide, those that stand together are taken together."""
_SHOWN = 3


class Taken(NamedTuple):
    """The versions that were taken, and the places that they were taken from."""

    admitted: Admitted = OPEN
    mentions: tuple[Mention, ...] = ()


class Versions:
    """What the projects of some files admit; every folder is read once."""

    def __init__(self, context: AnalysisContext | None = None) -> None:
        self._context = context
        self._beside: dict[Subject, Taken] = {}
        self._folders: dict[Path, Folder] = {}
        self._known: dict[tuple[Path, Subject, _Order], Taken] = {}
        self._told: dict[tuple[str, Subject, Taken], None] = {}

    def torch(self, path: str) -> Admitted:
        """The torch versions that the project of a file admits, also by its Python versions."""
        return _installable(self._declared(path, TORCH).admitted, self.python(path))

    def python(self, path: str) -> Admitted:
        """The Python versions that the project of a file admits."""
        return self._declared(path, PYTHON).admitted

    def torchdata(self, path: str) -> Admitted:
        """The torchdata versions that the project of a file admits."""
        return self._declared(path, TORCHDATA).admitted

    def transformers(self, path: str) -> Admitted:
        """The versions of transformers that the project of a file admits."""
        return self._declared(path, TRANSFORMERS).admitted

    def stated_torch(self, path: str) -> Taken:
        """The torch versions that the project of a file speaks of, also by its Python versions."""
        torch, python = self._stated(path, TORCH), self._stated(path, PYTHON)
        admitted = _installable(torch.admitted, python.admitted)
        return torch if admitted == torch.admitted else Taken(admitted, python.mentions)

    def likely_python(self, path: str) -> Admitted:
        """The Python versions that a project admits, and speaks of, where it speaks of any."""
        admitted, stated = self.python(path), self._stated(path, PYTHON).admitted
        if stated == OPEN or (admitted != OPEN and not _overlap(admitted, stated)):
            return admitted
        return stated

    def installed_python(self, path: str) -> Admitted:
        """The Python versions that commands make environments with, if the project admits them."""
        folder = Path(path).parent
        found = self._files(folder).installed(PYTHON)
        while not found and not _is_top(folder):
            folder = folder.parent
            found = self._files(folder).installed(PYTHON)
        installed, admitted = together(found) if found else OPEN, self.python(path)
        return installed if admitted == OPEN or _overlap(admitted, installed) else OPEN

    def told(self, root: Path) -> list[str]:
        """Which versions were taken, and from where, those that were declared first."""
        return [
            f"{kind}{subject.title} {found.admitted.in_words}, by {_places(found, root)}"
            for kind, subject, found in sorted(self._told, key=lambda told: told[0])
        ]

    def _declared(self, path: str, subject: Subject) -> Taken:
        folder = Path(path).parent
        found = self._taken(folder, subject, _DECLARED)
        if not found.mentions:
            found = self._taken(folder, subject, _BUILT)
        if found.mentions:
            self._told["", subject, found] = None
        return found

    def _stated(self, path: str, subject: Subject) -> Taken:
        folder = Path(path).parent
        found = self._taken(folder, subject, _STATED)
        if not found.mentions and not self._declares(folder):
            found = self._declared_beside(subject)
        if found.mentions:
            self._told["stated: ", subject, found] = None
        return found

    def _declares(self, folder: Path) -> bool:
        """Whether the project of a folder lists packages, be it without their versions."""
        files = self._files(folder)
        if files.texts(Kind.LOCK) or files.texts(Kind.DECLARATION):
            return True
        return not _is_top(folder) and self._declares(folder.parent)

    def _declared_beside(self, subject: Subject) -> Taken:
        """What the folders of a program's other files declare, if they say one thing only."""
        if subject not in self._beside:
            files = self._context.project.files if self._context is not None else ()
            folders = {Path(file).parent for file in files}
            found = {self._taken(folder, subject, _DECLARED) for folder in folders} - {Taken()}
            self._beside[subject] = found.pop() if len(found) == 1 else Taken()
        return self._beside[subject]

    def _taken(self, folder: Path, subject: Subject, order: _Order) -> Taken:
        key = (folder, subject, order)
        if key not in self._known:
            self._known[key] = self._search(folder, subject, order)
        return self._known[key]

    def _search(self, folder: Path, subject: Subject, order: _Order) -> Taken:
        for mentions in self._mentions(folder, subject, order):
            taken = mentions if order is not _STATED else _closest(mentions)
            return Taken(together(m.admitted for m in taken), tuple(taken))
        return Taken() if _is_top(folder) else self._taken(folder.parent, subject, order)

    def _mentions(self, folder: Path, subject: Subject, order: _Order) -> Iterator[list[Mention]]:
        found = (self._files(folder).mentions(subject, *kinds) for kinds in order)
        return filter(None, found)

    def _files(self, folder: Path) -> Folder:
        return self._folders.setdefault(folder, Folder(folder))


def _is_top(folder: Path) -> bool:
    """Whether what lies above a folder is no part of its project."""
    return exists(folder / ".git") or is_too_wide(folder.parent)


def _closest(mentions: list[Mention]) -> list[Mention]:
    """Of statements those with an end: what was installed says more than what should do as well."""
    return [m for m in mentions if m.admitted.newest is not None] or mentions


def _places(found: Taken, root: Path) -> str:
    """Where versions stand: `README.md:3, 7 and setup.sh:2`."""
    rows: dict[Path, list[str]] = {}
    for mention in found.mentions:
        rows.setdefault(mention.path, []).append(str(mention.row))
    files = [f"{_from(root, file)}:{', '.join(at[:_SHOWN])}" for file, at in rows.items()]
    more = f" and {len(files) - _SHOWN} other files" if len(files) > _SHOWN else ""
    return ", ".join(files[:_SHOWN]) + more


def _from(root: Path, file: Path) -> str:
    return (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()


def _installable(torch: Admitted, python: Admitted) -> Admitted:
    """The torch versions that some versions of Python have: the newest where nothing is said."""
    newest = newest_for(python.newest) if torch.newest is None else None
    if newest is None or (torch.oldest is not None and torch.oldest > newest):
        return torch
    return Admitted(torch.oldest, newest)


def _overlap(one: Admitted, other: Admitted) -> bool:
    begins, ends = max(one.oldest or (0, 0), other.oldest or (0, 0)), (one.newest, other.newest)
    return all(end is None or begins <= end for end in ends)
