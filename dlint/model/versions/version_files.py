"""The files of a folder that speak of versions: what each says of a package, and on which line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts.torch_versions import NEWEST_FOR_CUDA, Version, newest_in_image
from dlint.model.versions.version_prose import said_of
from dlint.model.versions.version_specifiers import BOUNDS, OPEN, Admitted, admitted_by
from dlint.workspace.asked import beginning_of, holds, names_in

_MOST = 4_000_000
"""Characters of a file that declares or locks."""
_MOST_PROSE = 200_000
_COMMENT = lazily(r"(?m)^[^\S\n]*#.*|[^\S\n]#[^'\"\n]{0,200}$")


class Kind(Enum):
    """What the word of a file is worth."""

    LOCK = "lock"
    DECLARATION = "declaration"
    IMAGE = "image"
    """Dockerfiles and what CI installs: one of the environments in which the project runs."""
    STATEMENT = "statement"
    """Scripts that set up an environment."""
    PROSE = "prose"


_DOCKER = r"(?i:\.?docker(?:[_-]files?|files)?)"
"""The folders in which Dockerfiles lie, as people call them."""
_KINDS = {
    Kind.LOCK: r"uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock",
    Kind.DECLARATION: (
        r"pyproject\.toml|pixi\.toml|setup\.cfg|setup\.py|Pipfile|constraints\.txt"
        r"|(?:requirements|reqs)/[^/]+\.txt|(?:[\w.-]*[_.-])?reqs?(?:[_.-][\w.-]*)?\.(?:txt|in)"
        r"|(?i:[\w.-]*requirements?[\w.-]*)\.(?:txt|in|ya?ml)"
        r"|(?:conda[\w.-]*|[\w.-]*env[\w.-]*)\.ya?ml"
    ),
    Kind.IMAGE: (
        rf"(?:(?:{_DOCKER}|\.devcontainer)/)?(?:Dockerfile[\w.-]*|[\w.-]+\.[Dd]ockerfile)"
        r"|\.github/workflows/[^/]+\.ya?ml|\.circleci/config\.yml"
        r"|\.(?:gitlab-ci|travis)\.yml|azure-pipelines\.yml|\.?appveyor\.yml"
    ),
    Kind.STATEMENT: r"(?:scripts/)?[\w.-]+\.sh|\.python-version|runtime\.txt",
    Kind.PROSE: (
        r"(?i:readme|install(?:ation|ing)?)[\w.-]*|docs/[\w.-]*(?i:install|get_?start)[\w.-]*"
    ),
}
_FOLDERS = (
    *("requirements", "reqs", "conda", "env", "envs", "environments"),
    *(".devcontainer", ".github/workflows", ".circleci"),
    *("docs", "scripts"),
)
_OUTERMOST = "|".join(re.escape(inner.partition("/")[0]) for inner in _FOLDERS)
_ENVIRONMENT = (
    r"(?m)^dependencies:[^\S\n]*\n(?:(?=[-\s#])[^\n]*\n)*?"
    r"[^\S\n]*-[^\S\n]*[\"']?(?:[\w.-]+::)?(?:python|pytorch|pip)(?![\w.-])"
)
_LISTED = r"\A\s*#\s*(?:packages in environment at|This file may be used to create an environment)"
_BY_CONTENT = {
    rf"(?:(?:conda|envs?|environments|requirements|{_DOCKER})/)?[\w.-]+\.ya?ml": _ENVIRONMENT,
    r"[\w.-]+\.txt": _LISTED,
}
"""What environments and lists of conda hold, by the names that they, and other files, have."""
_MOST_ENVIRONMENT = 65_536
_PLAIN = frozenset({"", ".md", ".txt", ".rst"})


class Mention(NamedTuple):
    """Versions that a file gives, of what, and where."""

    title: str
    admitted: Admitted
    path: Path
    row: int

    def __str__(self) -> str:
        return f"{self.path}:{self.row}"


class Subject(NamedTuple):
    """How a package is named in the files of each kind."""

    title: str
    locked: str
    """Patterns of files of a kind, compiled once there is such a file."""
    declared: str
    installed: str
    """In Dockerfiles, in CI and in shell scripts."""
    word: str
    """In sentences."""
    oldest: Version = (0, 1)
    newest: Version = (3, 30)


_NOTHING = r"(?!)"


def _columns(name: str) -> str:
    """A row of what `conda list` or `pip list` prints."""
    return rf"(?m:^)[ \t]*(?:-[ \t]+)?{name}[ \t]+(\d+\.\d+[\w.+]*)(?=\s|\Z)"


def _library(title: str, declared: str, locked: str, image: str) -> Subject:
    """A library: requirements of each kind, the tables of Poetry and Pipenv, lock files."""
    built = rf"/{declared}-(\d+\.\d+[\w.]*)(?:(?:\+|%2B)[\w.]+)?-(?:cp|py)\d"
    required = rf"(?<![\w./-]){declared}(?:\[[^\]]{{0,200}}\])?\s*\(?({BOUNDS})"
    return Subject(
        title,
        rf"name = \"{locked}\"\s+version = \"([^\"]+)\""
        rf"|\"{locked}\": \{{[^}}]{{0,2000}}?\"version\": \"==(.+)\"",
        rf"{required}|{_columns(declared)}|{built}"
        rf"|(?m:^){declared}\s*=\s*(?:\{{[^}}\n]*version\s*=\s*)?[\"']([^\"'*\n]+)[\"']",
        rf"{required}|{built}{image}",
        declared,
    )


_CUDA = r"\bconda\b[^\n]{0,200}\bpytorch(?=\s)[^\n]{0,200}?\b(cudatoolkit *=+ *(?:9\.[02]|10\.0))"
"""A command that has conda choose the torch for a toolkit."""

TORCH = _library(
    "torch",
    "(?:py)?torch(?:-[cg]pu)?",
    "torch",
    r"|\bpytorch/pytorch:(\d+\.\d+[\w.]*)|\bARG\s+PYTORCH\w{0,20}=[\"']?(\d+\.\d+[\w.]*)"
    rf"|nvcr\.io/nvidia/(pytorch:\d\d\.\d\d)|{_CUDA}",
)
TORCHDATA = _library("torchdata", "torchdata", "torchdata", "")
TRANSFORMERS = _library("transformers", "transformers", "transformers", "")
PYTHON = Subject(
    "Python",
    _NOTHING,
    rf"python[_-]requires\s*=\s*[\"']?({BOUNDS})|requires-python\s*=\s*[\"']({BOUNDS})"
    rf"|(?m:^)python\s*=\s*[\"']([^\"'*\n]+)[\"']|(?m:^)[ \t]*-\s*python\s*({BOUNDS})"
    rf"|(?m:^)python(={{1,2}}\d[\w.]*)|{_columns('python')}",
    r"(?i:FROM)\s+(?:[\w./-]{1,200}/)?python:(\d+\.\d+)"
    r"|(?<![\w./-])python[ \t]?={1,2}[ \t]?[\"']?(\d+\.\d+)|\A(?:python-)?(\d+\.\d+)[\w.]*\s*\Z",
    "python",
    (2, 6),
)


class Folder:
    """The texts of one folder, by their kinds, read when somebody first asks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._texts: dict[Kind, list[tuple[Path, str]]] = {}

    def mentions(self, subject: Subject, *kinds: Kind) -> list[Mention]:
        """What files of some kinds say of a package; a mention without a version says nothing."""
        return [
            Mention(subject.title, admitted, path, text.count("\n", 0, at) + 1)
            for kind in kinds
            for path, text in self._read(kind)
            for at, admitted in _said(kind, subject, text)
            if admitted != OPEN
        ]

    def installed(self, subject: Subject) -> list[Admitted]:
        """The versions of a package that commands of scripts and of guides install."""
        found = [m.admitted for m in self.mentions(subject, Kind.IMAGE, Kind.STATEMENT)]
        for _, text in self._read(Kind.PROSE):
            for match in re.finditer(subject.installed, text):
                found.append(_admitted(match[match.lastindex or 0]))
        return found

    def texts(self, kind: Kind) -> dict[str, str]:
        """The texts of the files of one kind, by their names, most of them without comments."""
        return {path.name: text for path, text in self._read(kind)}

    def _read(self, kind: Kind) -> list[tuple[Path, str]]:
        if kind not in self._texts:
            names = [*self._named(_KINDS[kind])]
            if kind is Kind.DECLARATION:
                names += [name for name in self._environments() if name not in names]
            found = [self._path / name for name in names]
            if kind is Kind.PROSE:
                found = [file for file in found if file.suffix.lower() in _PLAIN]
            self._texts[kind] = [(file, _text(file, kind)) for file in found]
        return self._texts[kind]

    def _environments(self) -> Iterator[str]:
        """Files that are environments of conda by what they hold."""
        for named, held in _BY_CONTENT.items():
            for name in self._named(named):
                if holds(self._path / name, held, _MOST_ENVIRONMENT):
                    yield name

    def _named(self, pattern: str) -> Iterator[str]:
        """The names that a pattern takes, relative to the folder."""
        yield from names_in(self._path, pattern)
        for inner in self._inner:
            yield from names_in(self._path / inner, pattern, f"{inner}/")

    @cached_property
    def _inner(self) -> list[str]:
        """The folders inside that are looked into, few of which any project has."""
        there = {*names_in(self._path, _OUTERMOST)}
        fixed = [inner for inner in _FOLDERS if inner.partition("/")[0] in there]
        return [*fixed, *names_in(self._path, _DOCKER)]


def _text(file: Path, kind: Kind) -> str:
    if kind is Kind.LOCK:
        return beginning_of(file, _MOST)
    if kind is Kind.PROSE:
        return beginning_of(file, _MOST_PROSE)
    return _COMMENT.sub("", beginning_of(file, _MOST))


def _said(kind: Kind, subject: Subject, text: str) -> Iterator[tuple[int, Admitted]]:
    """The offsets at which a text speaks of versions of a package, and which."""
    if kind is Kind.PROSE:
        yield from said_of(subject.word, text, subject.oldest, subject.newest)
        if subject is TORCH:
            yield from ((match.start(1), _admitted(match[1])) for match in re.finditer(_CUDA, text))
        return
    patterns = {Kind.LOCK: subject.locked, Kind.DECLARATION: subject.declared}
    for match in re.finditer(patterns.get(kind, subject.installed), text):
        group = match.lastindex or 0
        yield match.start(group), _admitted(match[group])


def _admitted(said: str) -> Admitted:
    if said.startswith("cudatoolkit"):
        return Admitted(None, NEWEST_FOR_CUDA[said.rpartition("=")[2].strip()])
    name, _, release = said.partition(":")
    if name == "pytorch":
        version = newest_in_image(release)
        return Admitted(version, version)
    return admitted_by(said)
