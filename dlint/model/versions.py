"""Which versions of torch and Python a project admits, by what it declares.

The nearest folder that says something of a package decides: its lock file, else everything that its
other files admit together. They are read as text, the first time that somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.library_facts.torch_versions import FACTS, Version, newest_for
from dlint.workspace.reading import beginning_of
from dlint.workspace.roots import is_too_wide

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_LAST = 99
"""Stands for the last minor version of a major one."""

_DECLARING = re.compile(
    r"pyproject\.toml|setup\.cfg|setup\.py|Pipfile|constraints\.txt"
    r"|[\w.-]*requirements?[\w.-]*\.(?:txt|in)|(?:conda[\w.-]*|[\w.-]*env[\w.-]*)\.ya?ml"
)
_MOST = 4_000_000
"""Characters of one file."""
_LOCKING = re.compile(r"uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock")
_COMMENT = re.compile(r"(?m)^[^\S\n]*#.*|\s#[^'\"\n]{0,200}$")
_BOUND = r"(?:[<>=!~^]=?=?\s*\d[\w.*+]*)"
_BOUNDS = rf"{_BOUND}(?:\s*,\s*{_BOUND})*"
_PART = re.compile(r"\s*([<>=!~^]=?=?)?\s*(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d+))?(\.\*)?")


class Admitted(NamedTuple):
    """The oldest and the newest minor version that are admitted; None where it is open."""

    oldest: Version | None = None
    newest: Version | None = None

    def always(self, fact: str) -> bool:
        """Whether a fact of `knowledge.torch_versions` holds in every version."""
        window = FACTS[fact]
        begins = window.first is None or (self.oldest or (0, 0)) >= window.first
        return begins and (window.last is None or (self.newest or (_LAST, 0)) <= window.last)

    def ever(self, fact: str) -> bool:
        """Whether a fact of `knowledge.torch_versions` holds in some version."""
        window = FACTS[fact]
        begins = window.first is None or (self.newest or (_LAST, 0)) >= window.first
        return begins and (window.last is None or (self.oldest or (0, 0)) <= window.last)


OPEN = Admitted()


class _Subject(NamedTuple):
    """How a package is named in the files that declare and lock it."""

    declared: re.Pattern[str]
    locked: re.Pattern[str]


def _library(declared: str, locked: str) -> _Subject:
    """A library: requirements of each kind, the tables of Poetry and Pipenv, lock files."""
    return _Subject(
        re.compile(
            rf"(?<![\w./-]){declared}(?:\[[^\]]{{0,200}}\])?\s*\(?({_BOUNDS})"
            rf"|(?m:^){locked}\s*=\s*(?:\{{[^}}\n]*version\s*=\s*)?[\"']([^\"'*\n]+)[\"']"
        ),
        re.compile(
            rf"name = \"{locked}\"\s+version = \"([^\"]+)\""
            rf"|\"{locked}\": \{{[^}}]{{0,2000}}?\"version\": \"==(.+)\""
        ),
    )


_TORCH = _library("(?:py)?torch", "torch")
_TORCHDATA = _library("torchdata", "torchdata")
_TRANSFORMERS = _library("transformers", "transformers")
_PYTHON = _Subject(
    re.compile(
        rf"python[_-]requires\s*=\s*[\"']?({_BOUNDS})|requires-python\s*=\s*[\"']({_BOUNDS})"
        rf"|(?m:^)python\s*=\s*[\"']([^\"'*\n]+)[\"']|(?m:^)[ \t]*-\s*python\s*({_BOUNDS})"
    ),
    re.compile(r"(?!)"),
)


class Versions:
    """What the projects of some files admit; every folder is read once."""

    def __init__(self, _: AnalysisContext | None = None) -> None:
        self._texts: dict[Path, tuple[list[str], list[str]]] = {}
        self._known: dict[tuple[Path, _Subject], Admitted] = {}

    def torch(self, path: str) -> Admitted:
        """The torch versions that the project of a file admits, also by its Python versions."""
        stated = self._admitted(Path(path).parent, _TORCH)
        if stated.newest is not None:
            return stated
        newest = newest_for(self.python(path).newest)
        below = newest is None or stated.oldest is None or stated.oldest <= newest
        return Admitted(stated.oldest, newest) if below else stated

    def python(self, path: str) -> Admitted:
        """The Python versions that the project of a file admits."""
        return self._admitted(Path(path).parent, _PYTHON)

    def torchdata(self, path: str) -> Admitted:
        """The torchdata versions that the project of a file admits."""
        return self._admitted(Path(path).parent, _TORCHDATA)

    def transformers(self, path: str) -> Admitted:
        """The versions of transformers that the project of a file admits."""
        return self._admitted(Path(path).parent, _TRANSFORMERS)

    def _admitted(self, folder: Path, subject: _Subject) -> Admitted:
        known = self._known.get((folder, subject))
        if known is None:
            known = self._known[folder, subject] = self._search(folder, subject)
        return known

    def _search(self, folder: Path, subject: _Subject) -> Admitted:
        locks, declarations = self._read(folder)
        for pattern, texts in ((subject.locked, locks), (subject.declared, declarations)):
            found = [admitted for text in texts for admitted in _stated(pattern, text)]
            if found:
                return _together(found)
        above = folder.parent
        if (folder / ".git").exists() or is_too_wide(above):
            return OPEN
        return self._admitted(above, subject)

    def _read(self, folder: Path) -> tuple[list[str], list[str]]:
        """The texts of a folder's lock files, and of the others that declare something."""
        if folder not in self._texts:
            files, inner = _files(folder), _files(folder / "requirements")
            locking = [f for f in files if _LOCKING.fullmatch(f.name)]
            declaring = [f for f in files if _DECLARING.fullmatch(f.name)]
            declaring += [f for f in inner if f.suffix == ".txt"]
            self._texts[folder] = (
                [beginning_of(file, _MOST) for file in locking],
                [_COMMENT.sub("", beginning_of(file, _MOST)) for file in declaring],
            )
        return self._texts[folder]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _stated(pattern: re.Pattern[str], text: str) -> Iterator[Admitted]:
    """What each mention of a package admits; a mention without a version says nothing."""
    for match in pattern.finditer(text):
        admitted = admitted_by(next(filter(None, match.groups()), ""))
        if admitted != OPEN:
            yield admitted


def _together(found: Iterable[Admitted]) -> Admitted:
    """From the oldest to the newest version that any of them admits."""
    oldest, newest = zip(*found, strict=True)
    return Admitted(
        None if None in oldest else min(oldest),
        None if None in newest else max(newest),
    )


def admitted_by(bounds: str) -> Admitted:
    """What a specifier such as `>=1.8,<2`, `^1.13`, `==2.0.*` or `1.7.1` admits."""
    oldest: Version | None = None
    newest: Version | None = None
    for part in filter(None, map(_PART.match, bounds.split(","))):
        low, high = _range(*part.groups(""))
        oldest = low if oldest is None or (low is not None and low > oldest) else oldest
        newest = high if newest is None or (high is not None and high < newest) else newest
    return Admitted(oldest, newest)


def _range(
    operator: str, major: str, minor: str, patch: str, star: str
) -> tuple[Version | None, Version | None]:
    version, whole = (int(major), int(minor or 0)), (int(major), _LAST)
    match operator:
        case ">=" | ">":
            return version, None
        case "<=":
            return None, version if minor else (version[0], 0)
        case "<":
            return None, version if patch.strip("0") else _before(version)
        case "~=" if not patch:
            return version, whole
        case "^" if version[0]:
            return version, whole
        case "!=":
            return None, None
    return version, version if minor or (operator == "==" and not star) else whole


def _before(version: Version) -> Version:
    return (version[0], version[1] - 1) if version[1] else (version[0] - 1, _LAST)
