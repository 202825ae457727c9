"""Glob patterns as `.gitignore` reads them, without its negation."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

_TOKEN = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)


class Globs:
    """Patterns relative to one directory.

    A pattern without a slash matches the last part of a path, any other the path from `base`.
    `*` stops at a slash, `**` does not.
    """

    def __init__(self, patterns: Iterable[str], base: str) -> None:
        self._base = base.rstrip(os.sep) + os.sep
        expressions = [_expression(pattern) for pattern in patterns if pattern.strip("/")]
        self._regex = re.compile("|".join(expressions)) if expressions else None

    def matches(self, path: str) -> bool:
        """Whether a pattern names this very file or directory; `path` is absolute."""
        if self._regex is None:
            return False
        relative = path[len(self._base) :] if path.startswith(self._base) else path
        return self._regex.fullmatch(relative.replace(os.sep, "/")) is not None

    def cover(self, path: str, top: str) -> bool:
        """Whether a pattern names this path or a directory above it that is below `top`."""
        while len(path) > len(top):
            if self.matches(path):
                return True
            path = path.rpartition(os.sep)[0]
        return False


def _expression(pattern: str) -> str:
    stem = pattern.removeprefix("./").rstrip("/")
    anchored = "/" in stem
    body = "".join(_translated(token) for token in _TOKEN.findall(stem.removeprefix("/")))
    return f"(?:{body})" if anchored else f"(?:.*/)?(?:{body})"


def _translated(token: str) -> str:
    if token == "**/":
        return "(?:.*/)?"
    if token == "/**":
        return "/.*"
    if token[0] == "*":
        return "[^/]*"
    if token == "?":
        return "[^/]"
    if token[0] == "[" and len(token) > 1:
        return "[" + ("^" if token[1] == "!" else "") + _class_body(token)
    return re.escape(token)


def _class_body(token: str) -> str:
    inner = token[1:-1].removeprefix("!").replace("\\", r"\\").replace("[", r"\[")
    return inner.replace("]", r"\]") + "]"
