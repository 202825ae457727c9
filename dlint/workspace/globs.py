"""Glob patterns as `.gitignore` reads them, without its negation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dlint.workspace import patterns
from dlint.workspace.spelling import prefix


class Globs:
    """Patterns relative to one directory.

    A pattern without a slash matches the last part of a path, any other the path from `base`.
    `*` stops at a slash, `**` does not.
    """

    def __init__(self, globs: Iterable[str], base: str) -> None:
        self._base = prefix(base)
        self.patterns = tuple(globs)
        """As they were written."""
        expressions = [_expression(glob) for glob in self.patterns if glob.strip("/")]
        self._regex = re.compile("|".join(expressions)) if expressions else None

    def matches(self, path: str) -> bool:
        """Whether a pattern names this very file or directory; `path` is absolute."""
        if self._regex is None:
            return False
        relative = path[len(self._base) :] if path.startswith(self._base) else path
        return self._regex.match(relative) is not None

    def cover(self, path: str, top: str) -> bool:
        """Whether a pattern names this path or a directory above it that is below `top`."""
        while len(path) > len(top):
            if self.matches(path):
                return True
            path = path.rpartition("/")[0]
        return False


def _expression(glob: str) -> str:
    stem = glob.removeprefix("./").rstrip("/")
    if "/" not in stem:
        return rf"(?>(?:[^/]*/)*){patterns.of_name(stem, escapes=False)}\Z"
    return patterns.of_path(stem.removeprefix("/").split("/"), escapes=False)
