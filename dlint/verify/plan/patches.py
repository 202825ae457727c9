"""A unified diff applied to texts in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOVES = ("rename from ", "copy from ", "deleted file mode ")
_NOTHING = "/dev/null"
"""The name of a file on the side where it is not."""
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
    for a patch that removes or renames files, changes other files than Python's, or does not fit.
    A file that it adds is one of `sources` from then on.
    """
    try:
        text = patch.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {patch}: {error}") from error
    texts: dict[str, str] = {}
    files = list(_files(text, patch))
    folders = _folders(files, patch, folder)
    for file in files:
        if file.names[0] == _NOTHING:
            path = _added(file, patch, folders)
            sources.add(Source(path, ""))
            patched = "".join(line for hunk in file.hunks for line in hunk.after)
        else:
            path, patched = _applied(file, patch, folders, sources, texts)
        if Path(path).suffix not in _PYTHON:
            raise UsageError(f"{patch} changes {path}, which is not Python: that cannot be tried")
        texts[path] = patched
    if not texts:
        raise UsageError(f"{patch} is no unified diff")
    return texts


def _applied(
    file: _File,
    patch: Path,
    folders: Sequence[Path],
    sources: Sources,
    before: Mapping[str, str],
) -> tuple[str, str]:
    """The path of the file that is meant, and its new text; `before` holds what earlier parts of
    the patch made of files."""
    named = map(str, _named(file.names, folders))
    paths = [path for path in named if path in before or Path(path).is_file()]
    if not paths:
        raise UsageError(f"{patch} changes {file.names[1]}, which does not exist")
    misfits = []
    for path in paths:
        try:
            text = before[path] if path in before else sources.get(path).text
            return path, _patched(text, file.hunks)
        except UnreadableError as error:
            raise UsageError(str(error)) from error
        except _MisfitError as error:
            misfits.append(f"{patch} does not fit {path}: line {error} is another")
    raise UsageError(misfits[0])


def _added(file: _File, patch: Path, folders: Sequence[Path]) -> str:
    """The path of a file that comes to be."""
    name = file.names[1]
    path = (folders[0] / _parts(name)[0]).resolve()
    if not path.parent.is_dir() or path.name == "__init__.py":
        raise UsageError(f"{patch} adds {name}: a new folder or package cannot be tried")
    if path.exists():
        raise UsageError(f"{patch} adds {path}, which is there already")
    return str(path)


def _folders(files: Sequence[_File], patch: Path, folder: Path) -> list[Path]:
    """What paths may be relative to; that first where most files of the patch are."""
    beside, root = patch.parent.resolve(), _repository(folder)
    from_git = any(file.from_git for file in files)
    folders = [root, folder, beside] if from_git else [folder, beside, root]

    def found(above: Path) -> int:
        return sum(any(p.is_file() for p in _named(file.names, [above])) for file in files)

    return sorted(folders, key=found, reverse=True)


def _repository(folder: Path) -> Path:
    above = [folder, *folder.resolve().parents]
    return next((path for path in above if (path / ".git").exists()), folder)


def _named(names: Sequence[str], folders: Sequence[Path]) -> list[Path]:
    """The files that may be meant, the likeliest first."""
    found: dict[Path, None] = {}
    for name in reversed(names):
        for part in _parts(name):
            found.update(((folder / part).resolve(), None) for folder in folders if part)
    return list(found)


def _parts(name: str) -> tuple[str, str]:
    """A name without its first part and with it, the likelier first."""
    first, _, rest = name.partition("/")
    return (rest, name) if first in _PREFIXES else (name, rest)


def _files(text: str, patch: Path) -> Iterator[_File]:
    """The files of a patch and their hunks."""
    lines = _LINES.findall(text)
    position, from_git = 0, False
    while position < len(lines):
        line = lines[position]
        from_git = from_git or line.startswith("diff --git ")
        if from_git and line.startswith(_MOVES):
            raise UsageError(f"{patch} removes or renames a file, which cannot be tried")
        if from_git and line.startswith("new file mode ") and not _has_text(lines, position):
            raise UsageError(f"{patch} adds an empty file, which cannot be tried")
        if from_git and line.startswith(_BINARY):
            raise UsageError(f"{patch} changes a binary file, which cannot be tried")
        if not _is_header(lines, position):
            position += 1
            continue
        first, second = (_name(line) for line in lines[position : position + 2])
        if second == _NOTHING:
            raise UsageError(f"{patch} removes {first}, which cannot be tried")
        position += 2
        hunks = []
        while position < len(lines) and _HUNK.match(lines[position]):
            hunk, position = _hunk(lines, position)
            hunks.append(hunk)
        yield _File((first, second), hunks, from_git)


def _has_text(lines: list[str], position: int) -> bool:
    """Whether lines come behind the mode of a new file, and one with its hash."""
    return any(_is_header(lines, at) for at in (position + 1, position + 2))


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
