"""`.gitignore` files: which ones speak of a path, and what they say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dlint.workspace import patterns
from dlint.workspace.roots import repository_top
from dlint.workspace.spelling import prefix, spelled

NAME = ".gitignore"
_MOST_GLOBS = 2_000
"""Patterns with wildcards of one file: each is tried on every path."""
_MOST_BYTES = 4_000_000


class _Rule(NamedTuple):
    """What one line says of the paths that it names."""

    line: int
    ignores: bool
    of_directories: bool


class _Glob:
    def __init__(self, rule: _Rule, regex: str, *, by_name: bool) -> None:
        self.rule = rule
        self.regex = regex
        self.by_name = by_name


class IgnoreFile:
    """The patterns of one `.gitignore`, for paths below its directory.

    Plain names and paths are looked up. All others are tried at once, and one by one only on a path
    that some of them names.
    """

    def __init__(self, above: str, lines: Iterable[str]) -> None:
        self._prefix = above
        self._plain: dict[str, list[_Rule]] = defaultdict(list)
        """By name, or by path behind a slash."""
        self._globs: list[_Glob] = []
        self.is_cut = False
        """Whether there are more patterns than are read."""
        for number, line in enumerate(lines):
            self._add(number, line)

    def decides(self, path: str, is_directory: bool) -> bool | None:
        """Whether a path is ignored; None when no pattern speaks of it."""
        relative = path[len(self._prefix) :]
        name = relative.rpartition("/")[2]
        found = [*self._plain.get(name, ()), *self._plain.get(f"/{relative}", ())]
        found += self._globbed(relative, name)
        rules = [rule for rule in found if is_directory or not rule.of_directories]
        return max(rules).ignores if rules else None

    def _globbed(self, relative: str, name: str) -> Iterator[_Rule]:
        names, paths = self._at_once
        by_name = names is not None and names.match(name) is not None
        by_path = paths is not None and paths.match(relative) is not None
        if not by_name and not by_path:
            return
        for glob in self._globs:
            if by_name if glob.by_name else by_path:
                text = name if glob.by_name else relative
                if re.match(glob.regex, text) is not None:
                    yield glob.rule

    @cached_property
    def _at_once(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        names = [glob.regex for glob in self._globs if glob.by_name]
        paths = [glob.regex for glob in self._globs if not glob.by_name]
        return _any(names), _any(paths)

    def _add(self, number: int, line: str) -> None:
        """Enter one line; as in git, one that is no pattern is passed over."""
        text = _without_blanks(line)
        if not text or text.startswith("#"):
            return
        ignores = not text.startswith("!")
        text = text.removeprefix("!")
        rule = _Rule(number, ignores, text.endswith("/"))
        stem = text.removesuffix("/")
        parts = stem.removeprefix("/").split("/")
        if not any(parts):
            return
        by_name = "/" not in stem or (len(parts) == 2 and parts[0] == "**")
        if all(map(patterns.is_plain, parts)):
            self._plain[parts[0] if by_name else "/" + "/".join(parts)].append(rule)
        elif len(self._globs) == _MOST_GLOBS:
            self.is_cut = True
        elif by_name and parts[-1] != "**":
            regex = patterns.of_name(parts[-1], escapes=True) + r"\Z"
            self._globs.append(_Glob(rule, regex, by_name=True))
        else:
            regex = patterns.of_path(parts, escapes=True)
            self._globs.append(_Glob(rule, regex, by_name=False))


IgnoreFiles = tuple[IgnoreFile, ...]
"""From the outermost to the innermost, which has the last word."""


def is_ignored(files: IgnoreFiles, path: str, is_directory: bool) -> bool:
    """Whether git would leave out this path, none of whose parents it leaves out."""
    for file in reversed(files):
        decision = file.decides(path, is_directory)
        if decision is not None:
            return decision
    return False


def above(directory: Path) -> IgnoreFiles:
    """The ignore files between a repository's top and `directory`, without its own.

    None of them counts when they ignore `directory` itself: whoever names it wants what it holds.
    """
    top = repository_top(directory)
    if top is None or top == directory:
        return ()
    folders = [f for f in reversed(directory.parents) if f.is_relative_to(top)]
    files: IgnoreFiles = ()
    for folder, child in zip(folders, [*folders[1:], directory], strict=True):
        files += read(spelled(folder)) if (folder / NAME).is_file() else ()
        if is_ignored(files, spelled(child), is_directory=True):
            return ()
    return files


def read(directory: str) -> IgnoreFiles:
    """The `.gitignore` of one directory; empty when it cannot be read."""
    try:
        with Path(directory, NAME).open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError:
        return ()
    text = raw[:_MOST_BYTES].decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    found = IgnoreFile(prefix(directory), text.split("\n"))
    found.is_cut |= len(raw) > _MOST_BYTES
    return (found,)


def _any(regexes: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(regexes)) if regexes else None


def _without_blanks(line: str) -> str:
    """A line without the blanks at its end, but for one behind a backslash."""
    text = line.removesuffix("\r")
    bare = text.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 and bare != text
    return bare + " " if escaped else bare
