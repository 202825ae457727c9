"""A unified diff applied to texts in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dlint.errors import UsageError
from dlint.source import Sources, UnreadableError

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOVES = ("rename from ", "copy from ", "new file mode ", "deleted file mode ")
_BINARY = ("Binary files ", "GIT binary patch")
_PREFIXES = frozenset("abciow")
"""The first parts that git puts before the two names of a file."""
_PYTHON = frozenset({".py", ".pyw", ""})


class _Hunk(NamedTuple):
    start: int
    before: list[str]
    after: list[str]


class _File(NamedTuple):
    names: tuple[str, str]
    hunks: list[_Hunk]
    from_git: bool


def apply_patch(patch: Path, folder: Path, sources: Sources) -> dict[str, str]:
    """The new texts of the files that a patch changes, by path.

    Paths are looked for below `folder`, beside the patch and below the root of the repository,
    with and without their first part; the first file that the patch fits counts. Raises UsageError
    for a patch that adds or removes files, changes other files than Python's, or does not fit.
    """
    try:
        text = patch.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {patch}: {error}") from error
    texts: dict[str, str] = {}
    for file in _files(text, patch):
        path, patched = _applied(file, patch, folder, sources)
        if Path(path).suffix not in _PYTHON:
            raise UsageError(f"{patch} changes {path}, which is not Python: that cannot be tried")
        texts[path] = patched
    if not texts:
        raise UsageError(f"{patch} is no unified diff")
    return texts


def _applied(file: _File, patch: Path, folder: Path, sources: Sources) -> tuple[str, str]:
    """The path of the file that is meant, and its new text."""
    beside, root = patch.parent.resolve(), _repository(folder)
    folders = [root, folder, beside] if file.from_git else [folder, beside, root]
    paths = _existing(file.names, folders)
    if not paths:
        raise UsageError(f"{patch} changes {file.names[1]}, which does not exist")
    misfits = []
    for path in paths:
        try:
            return path, _patched(sources.get(path).text, file.hunks)
        except UnreadableError as error:
            raise UsageError(str(error)) from error
        except _MisfitError as error:
            misfits.append(f"{patch} does not fit {path}: line {error} is another")
    raise UsageError(misfits[0])


def _repository(folder: Path) -> Path:
    above = [folder, *folder.resolve().parents]
    return next((path for path in above if (path / ".git").exists()), folder)


def _existing(names: tuple[str, str], folders: list[Path]) -> list[str]:
    """The files that may be meant, the likeliest first."""
    found: dict[str, None] = {}
    for name in (names[1], names[0]):
        first, _, rest = name.partition("/")
        for part in (rest, name) if first in _PREFIXES else (name, rest):
            paths = [folder / part for folder in folders if part]
            found.update((str(path.resolve()), None) for path in paths if path.is_file())
    return list(found)


def _files(text: str, patch: Path) -> Iterator[_File]:
    """The files of a patch and their hunks."""
    lines = _LINES.findall(text)
    position, from_git = 0, False
    while position < len(lines):
        line = lines[position]
        from_git = from_git or line.startswith("diff --git ")
        if from_git and line.startswith(_MOVES):
            raise UsageError(f"{patch} adds, removes or renames a file, which cannot be tried")
        if from_git and line.startswith(_BINARY):
            raise UsageError(f"{patch} changes a binary file, which cannot be tried")
        if not _is_header(lines, position):
            position += 1
            continue
        first, second = (_name(line) for line in lines[position : position + 2])
        if "/dev/null" in (first, second):
            raise UsageError(f"{patch} adds, removes or renames a file, which cannot be tried")
        position += 2
        hunks = []
        while position < len(lines) and _HUNK.match(lines[position]):
            hunk, position = _hunk(lines, position)
            hunks.append(hunk)
        yield _File((first, second), hunks, from_git)


def _is_header(lines: list[str], position: int) -> bool:
    """Whether the two lines that name a file begin here."""
    names = [line[:4] for line in lines[position : position + 2]]
    hunk = lines[position + 2 : position + 3]
    return names == ["--- ", "+++ "] and bool(hunk) and _HUNK.match(hunk[0]) is not None


def _name(line: str) -> str:
    """The name in a line of the header; git puts one with other letters between quotes."""
    name = line[4:].split("\t")[0].strip()
    if len(name) < 2 or name[0] != '"' or name[-1] != '"':
        return name
    raw = name[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
    return raw.encode("latin-1", "replace").decode("utf-8", "replace")


def _hunk(lines: list[str], position: int) -> tuple[_Hunk, int]:
    found = _HUNK.match(lines[position])
    assert found is not None
    counts = [1 if found[group] is None else int(found[group]) for group in (2, 4)]
    hunk = _Hunk(int(found[1]) - (counts[0] > 0), [], [])
    position += 1
    while position < len(lines) and lines[position][0] in " +-\\\r\n":
        line = lines[position]
        complete = len(hunk.before) >= counts[0] and len(hunk.after) >= counts[1]
        if _is_header(lines, position) or (complete and line.rstrip() in {"", "--"}):
            break
        if line[0] == "\\":
            _drop_newline(hunk, lines[position - 1][0])
        elif not line.strip("\r\n"):
            hunk.before.append(line)
            hunk.after.append(line)
        else:
            if line[0] in " -":
                hunk.before.append(line[1:])
            if line[0] in " +":
                hunk.after.append(line[1:])
        position += 1
    return hunk, position


def _drop_newline(hunk: _Hunk, mark: str) -> None:
    """The line before, which has this mark, ends its file without a newline."""
    for side, marks in ((hunk.before, " -"), (hunk.after, " +")):
        if side and mark in marks:
            side[-1] = side[-1].rstrip("\r\n")


class _MisfitError(Exception):
    """A hunk whose lines are not there; it holds the row that it says."""


def _patched(text: str, hunks: list[_Hunk]) -> str:
    """The text with the hunks applied. Where all its lines end alike, it does not matter how those
    of the patch do."""
    ends = {line[-2:] == "\r\n" for line in _LINES.findall(text) if line[-1] == "\n"}
    if len(ends) > 1:
        return _changed(text, hunks)
    plain = [
        _Hunk(hunk.start, *([_plain(line) for line in side] for side in hunk[1:])) for hunk in hunks
    ]
    changed = _changed(_plain(text), plain)
    return changed.replace("\n", "\r\n") if ends == {True} else changed


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _changed(text: str, hunks: list[_Hunk]) -> str:
    lines = _LINES.findall(text)
    shift = behind = 0
    for hunk in hunks:
        at = _place(lines, hunk, hunk.start + shift, behind)
        if at is None:
            raise _MisfitError(hunk.start + 1)
        lines[at : at + len(hunk.before)] = hunk.after
        shift += len(hunk.after) - len(hunk.before)
        behind = at + len(hunk.after)
    return "".join(lines)


def _place(lines: list[str], hunk: _Hunk, expected: int, least: int) -> int | None:
    """Where the lines of a hunk stand, the nearest to where it says, behind those before it."""
    count = len(hunk.before)
    places = range(least, len(lines) - count + 1)
    fitting = [at for at in places if lines[at : at + count] == hunk.before]
    return min(fitting, key=lambda at: abs(at - expected), default=None)
