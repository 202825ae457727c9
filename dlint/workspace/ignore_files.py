"""`.gitignore` files: which ones speak of a path, and what they say."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.workspace.roots import repository_top

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


_ANYWHERE = "^(?:.+/)?"
_HERE_OR_BELOW = "(?:(?P<ps_d>/)|$)"
_BELOW = "(?P<ps_d>/)"
"""How pathspec writes the beginning and the end of a pattern."""


class IgnoreFile(NamedTuple):
    """The patterns of one `.gitignore`, for paths below its directory."""

    prefix: str
    """The directory, with a trailing separator."""
    spec: GitIgnoreSpec
    names: re.Pattern[str] | None
    """What the name of a file looks like that some pattern speaks of, wherever it stands."""
    paths: re.Pattern[str] | None
    """The same of its path."""

    def decides(self, path: str, is_directory: bool) -> bool | None:
        """Whether a path is ignored; None when no pattern speaks of it."""
        relative = path[len(self.prefix) :]
        if is_directory:
            relative += "/"
        elif not self._may_speak_of(relative):
            return None
        return self.spec.check_file(relative).include

    def _may_speak_of(self, file: str) -> bool:
        """Whether a pattern names this very file: all of them are tried at once."""
        if self.names is not None and self.names.fullmatch(file, file.rfind(os.sep) + 1):
            return True
        return self.paths is not None and self.paths.match(file) is not None


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
        files += read(str(folder)) if (folder / NAME).is_file() else ()
        if is_ignored(files, str(child), is_directory=True):
            return ()
    return files


def read(directory: str) -> IgnoreFiles:
    """The `.gitignore` of one directory; empty when it cannot be read."""
    prefix = directory.rstrip(os.sep) + os.sep
    try:
        text = Path(prefix, NAME).read_text("utf-8", errors="surrogateescape")
    except OSError:
        return ()
    spec = _spec(text.splitlines())
    return (IgnoreFile(prefix, spec, *_patterns(spec)),)


def _patterns(spec: GitIgnoreSpec) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """What the names, and the paths, of files look like that patterns may name.

    A pattern for directories names no file: what is in one that is ignored is never looked at.
    """
    names: list[str] = []
    paths: list[str] = []
    for pattern in spec.patterns:
        written = "" if pattern.regex is None else pattern.regex.pattern
        body = written.removeprefix(_ANYWHERE).removesuffix(_HERE_OR_BELOW)
        if not written or written.endswith(_BELOW):
            continue
        if len(body) == len(written) - len(_ANYWHERE + _HERE_OR_BELOW) and _is_name(body):
            names.append(body)
        else:
            paths.append(written.replace("(?P<ps_d>/)", "/"))
    return _any(names), _any(paths)


def _is_name(body: str) -> bool:
    return "/" not in body.replace("[^/]", "") and "(?P" not in body


def _any(written: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{one})" for one in written)) if written else None


def _spec(lines: list[str]) -> GitIgnoreSpec:
    """The patterns; as in git, a line that is no pattern is passed over."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_valid(line)])


def _is_valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
