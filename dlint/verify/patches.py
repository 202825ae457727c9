"""A unified diff applied to texts in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dlint.errors import UsageError
from dlint.source import Sources, UnreadableError

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class _Hunk(NamedTuple):
    start: int
    before: list[str]
    after: list[str]


def apply_patch(patch: Path, folder: Path, sources: Sources) -> dict[str, str]:
    """The new texts of the files that a patch changes, by path.

    Paths are looked for below `folder` and beside the patch, with and without their first part.
    Raises UsageError for a patch that adds or removes files, or does not fit.
    """
    try:
        text = patch.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {patch}: {error}") from error
    texts: dict[str, str] = {}
    for name, hunks in _files(text, patch):
        path = _existing(name, [folder, patch.parent.resolve()])
        if path is None:
            raise UsageError(f"{patch} changes {name}, which does not exist")
        try:
            source = sources.get(str(path))
        except UnreadableError as error:
            raise UsageError(str(error)) from error
        texts[str(path)] = _patched(source.text, hunks, f"{patch} does not fit {name}")
    if not texts:
        raise UsageError(f"{patch} is no unified diff")
    return texts


def _existing(name: str, folders: list[Path]) -> Path | None:
    for folder in folders:
        for part in (name.partition("/")[2], name):
            if part and (folder / part).is_file():
                return (folder / part).resolve()
    return None


def _files(text: str, patch: Path) -> Iterator[tuple[str, list[_Hunk]]]:
    """The files of a patch and their hunks."""
    lines = text.splitlines(keepends=True)
    position = 0
    while position < len(lines):
        header = lines[position].startswith("--- ")
        if not header or position + 1 == len(lines) or lines[position + 1][:4] != "+++ ":
            position += 1
            continue
        names = [line[4:].split("\t")[0].strip() for line in lines[position : position + 2]]
        if "/dev/null" in names:
            raise UsageError(f"{patch} adds or removes a file, which cannot be tried")
        position += 2
        hunks = []
        while position < len(lines) and _HUNK.match(lines[position]):
            hunk, position = _hunk(lines, position)
            hunks.append(hunk)
        yield names[1], hunks


def _hunk(lines: list[str], position: int) -> tuple[_Hunk, int]:
    found = _HUNK.match(lines[position])
    assert found is not None
    hunk = _Hunk(int(found[1]), [], [])
    position += 1
    while position < len(lines) and lines[position][:1] in {" ", "+", "-", "\\", "\n"}:
        line = lines[position]
        if line.startswith("--- ") and lines[position + 1 : position + 2][:1] == ["+++ "]:
            break
        if line[0] == "\\":
            _drop_newline(hunk, lines[position - 1][0])
        elif line == "\n":
            hunk.before.append("\n")
            hunk.after.append("\n")
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
            side[-1] = side[-1].rstrip("\n")


def _patched(text: str, hunks: list[_Hunk], misfit: str) -> str:
    lines = text.splitlines(keepends=True)
    shift = 0
    for hunk in hunks:
        at = _place(lines, hunk, hunk.start - 1 + shift)
        if at is None:
            raise UsageError(f"{misfit}: line {hunk.start} is another")
        lines[at : at + len(hunk.before)] = hunk.after
        shift += len(hunk.after) - len(hunk.before)
    return "".join(lines)


def _place(lines: list[str], hunk: _Hunk, expected: int) -> int | None:
    """Where the lines of a hunk stand, the nearest to where it says."""
    count = len(hunk.before)
    fitting = [at for at in range(len(lines) - count + 1) if lines[at : at + count] == hunk.before]
    return min(fitting, key=lambda at: abs(at - expected), default=None)
