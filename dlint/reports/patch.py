"""A fix as a small diff: the lines it takes out and puts in, and one line around them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from dlint.findings.edits import Edit, apply_edits
from dlint.findings.places import Place
from dlint.reports import cells
from dlint.reports.frame import Frame
from dlint.reports.view import View
from dlint.workspace.source import Part, Source

_MOST_LINES = 24


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring rows of one file and what stands there instead."""

    first: int
    """The first row, counted from 1; `before` may be empty behind the last."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    shift: int
    """Rows that the hunks above have added."""


def hunks(source: Source, edits: Sequence[Edit]) -> list[Hunk]:
    """The rows that the edits of one file change, in order."""
    found: list[Hunk] = []
    shift = 0
    for group in _neighbours(source, edits):
        first = source.position(group[0].start)[0]
        last = source.position(group[-1].end)[0]
        start, end = source.line_starts[first - 1], _end_of_row(source, last)
        moved = [Edit(e.path, e.start - start, e.end - start, e.text) for e in group]
        before = source.text[start:end]
        old, new = _lines(before), _lines(apply_edits(before, moved))
        found.append(Hunk(first, old, new, shift))
        shift += len(new) - len(old)
    return found


def last_number(source: Source, edits: Sequence[Edit]) -> int:
    """The largest number that the diff of one file shows."""
    last = hunks(source, edits)[-1]
    below = last.first + len(last.before) <= source.row_count
    return last.first + last.shift + len(last.after) - (0 if below else 1)


def draw(frame: Frame, edits: Sequence[Edit], is_seen: Callable[[int], bool]) -> Iterator[str]:
    """The lines of the diff of one file, numbered as in the new text.

    Lines around a change are left out where its own have been seen, unless they alone say
    where something is put in.
    """
    source, edge = frame.source, frame.palette.frame(" " * frame.gutter + " |")
    lines = [line for hunk in hunks(source, edits) for line in _drawn(frame, hunk, is_seen)]
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], frame.palette.frame("...")]
    yield from lines
    yield edge


def _drawn(frame: Frame, hunk: Hunk, is_seen: Callable[[int], bool]) -> Iterator[str]:
    """One hunk; equal lines at its edges are shown as what surrounds it."""
    from difflib import SequenceMatcher

    source, palette = frame.source, frame.palette
    yield palette.frame(" " * frame.gutter + " |")
    number = hunk.first + hunk.shift
    is_bare = is_seen(hunk.first) and not set(hunk.before) <= set(hunk.after)
    if hunk.first > 1 and source.line(hunk.first - 1).strip() and not is_bare:
        yield frame.numbered(number - 1, "  " + _shown(source.line(hunk.first - 1)))
    for kind, i, j, k, m in SequenceMatcher(None, hunk.before, hunk.after).get_opcodes():
        if kind == "equal":
            for offset in range(k, m):
                yield frame.numbered(number + offset, "  " + _shown(hunk.after[offset]))
            continue
        old, new = hunk.before[i:j], hunk.after[k:m]
        first = _first_cell(old, new)
        for text in old:
            yield frame.numbered(None, palette.removed("- " + _shown(text, first)))
        for offset, text in enumerate(new, k):
            yield frame.numbered(number + offset, palette.added("+ " + _shown(text, first)))
    below = hunk.first + len(hunk.before)
    if below <= source.row_count and source.line(below).strip() and not is_bare:
        yield frame.numbered(number + len(hunk.after), "  " + _shown(source.line(below)))


def _neighbours(source: Source, edits: Sequence[Edit]) -> list[list[Edit]]:
    """The edits in order; those whose rows touch or nearly touch stand together."""
    groups: list[list[Edit]] = []
    for edit in sorted(edits):
        first = source.position(edit.start)[0]
        if groups and first - source.position(groups[-1][-1].end)[0] <= 2:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _end_of_row(source: Source, row: int) -> int:
    return source.line_starts[row] if row < len(source.line_starts) else len(source.text)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.rstrip("\r\n") for line in io.StringIO(text, newline=""))


def _shown(text: str, first: int = 0) -> str:
    return cells.line(text).text(first)


def _first_cell(old: Sequence[str], new: Sequence[str]) -> int:
    """Where to begin to show a long line that takes the place of another, to see what changes."""
    if len(old) != 1 or len(new) != 1:
        return 0
    start = _alike(old[0], new[0])
    behind = _alike(old[0][:start:-1], new[0][:start:-1])
    line = cells.line(new[0])
    return cells.first_cell(line.cell(start), line.cell(len(new[0]) - behind))


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def by_file(edits: Iterable[Edit]) -> list[tuple[str, list[Edit]]]:
    """The edits of each file, in order of path."""
    return [(path, list(group)) for path, group in groupby(sorted(edits), lambda e: e.path)]


def by_part(view: View, edits: Iterable[Edit]) -> list[tuple[Part, list[Edit]]]:
    """The edits of each file, or cell of a notebook, counted from where that begins."""
    found: dict[tuple[str, int], tuple[Part, list[Edit]]] = {}
    for edit in sorted(edits):
        part = view.part(Place(edit.path, edit.start, edit.end))
        if part is not None:
            _, group = found.setdefault((edit.path, part.start), (part, []))
            start, end = edit.start - part.start, edit.end - part.start
            group.append(Edit(edit.path, start, end, edit.text))
    return list(found.values())
