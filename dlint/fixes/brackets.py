"""Entries between two brackets (arguments, keys): add some and take some out, in their layout."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dlint.findings.edits import Edit
from dlint.findings.places import Span
from dlint.fixes.lines import find_token, indentation, is_trivia, line_end, line_start, next_line
from dlint.workspace.source import Source


@dataclass(frozen=True)
class Brackets:
    """What stands between an opening and a closing bracket.

    `start` is the offset behind the opening bracket, `end` that of the closing one; `entries` are
    the spans of what the commas separate.
    """

    source: Source
    start: int
    end: int
    entries: tuple[Span, ...]

    def changed(self, removed: Collection[int], added: Sequence[str]) -> Iterator[Edit]:
        """Take the entries of the indices `removed` out and append `added`."""
        runs = _runs(sorted(removed))
        if runs and added and runs[-1][1] == len(self.entries) - 1:
            first, last = runs.pop()
            start, end = self.entries[first][0], self.entries[last][1]
            yield self._edit(start, end, self._separator.join(added))
        elif added:
            yield from self._append(added)
        for first, last in runs:
            yield from self._remove(first, last)

    @cached_property
    def _commas(self) -> tuple[int | None, ...]:
        """Offset of the comma behind each entry."""
        following = [start for start, _ in self.entries[1:]]
        return tuple(
            find_token(self.source, ",", end, limit)
            for (_, end), limit in zip(self.entries, [*following, self.end], strict=True)
        )

    @cached_property
    def _own_indent(self) -> str | None:
        """Indentation of the last entry where each line holds one entry, else None."""
        starts = [start for start, _ in self.entries]
        inside = [s for s in starts if line_start(self.source, s) >= self.start]
        if len(starts) - len(inside) > 1 or (len(starts) == 1 and self._commas[0] is None):
            return None
        indents = [indentation(self.source, s) for s in inside]
        return None if None in indents or not indents else indents[-1]

    @property
    def _separator(self) -> str:
        own = self._own_indent
        return ", " if own is None else "," + self.source.newline + own

    def _edit(self, start: int, end: int, text: str = "") -> Edit:
        return Edit(self.source.path, start, end, text)

    def _append(self, added: Sequence[str]) -> Iterator[Edit]:
        if not self.entries:
            yield self._first(", ".join(added))
        elif self._own_indent is not None:
            yield from self._append_lines(added, self._own_indent)
        elif (comma := self._commas[-1]) is not None:
            yield self._edit(comma + 1, comma + 1, "".join(f" {text}," for text in added))
        else:
            end = self.entries[-1][1]
            yield self._edit(end, end, "".join(f", {text}" for text in added))

    def _first(self, text: str) -> Edit:
        if not self.source.text[self.start : self.end].strip():
            return self._edit(self.start, self.end, text)
        start = line_start(self.source, self.end)
        line = self.source.line(self.source.position(start - 1)[0])
        indent = line[: len(line) - len(line.lstrip())]
        return self._edit(start, start, f"{indent}{text},{self.source.newline}")

    def _append_lines(self, added: Sequence[str], indent: str) -> Iterator[Edit]:
        end, comma = self.entries[-1][1], self._commas[-1]
        lines = [self.source.newline + indent + text for text in added]
        last = end if comma is None else comma + 1
        behind = min(line_end(self.source, last), self.end)
        at = behind if is_trivia(self.source.text[last:behind]) else last
        at = last if at == self.end else at
        if comma is not None:
            yield self._edit(at, at, "".join(line + "," for line in lines))
        elif self.source.text[last:at].strip():
            yield self._edit(end, end, ",")
            yield self._edit(at, at, ",".join(lines))
        else:
            yield self._edit(end, end, "," + ",".join(lines))

    def _remove(self, first: int, last: int) -> Iterator[Edit]:
        """Take a run of entries out."""
        alone = first == 0 and last == len(self.entries) - 1
        if alone and not self._holds_comment(first, last):
            yield self._edit(self.start, self.end)
        elif self._stands_on_own_lines(first, last):
            yield from self._remove_lines(first, last)
        elif alone:
            yield self._edit(self.entries[first][0], self._behind(last))
        elif last < len(self.entries) - 1:
            yield self._edit(*self._middle(first, last))
        else:
            yield self._edit(*self._tail(first, last))

    def _holds_comment(self, first: int, last: int) -> bool:
        """Whether a comment stands between the brackets and the run."""
        text = self.source.text
        start, end = self.entries[first][0], self.entries[last][1]
        return "#" in text[self.start : start] or "#" in text[end : self.end]

    def _behind(self, index: int) -> int:
        """Offset behind the entry and its comma."""
        comma = self._commas[index]
        return self.entries[index][1] if comma is None else comma + 1

    def _stands_on_own_lines(self, first: int, last: int) -> bool:
        start, end = self.entries[first][0], self._behind(last)
        return (
            indentation(self.source, start) is not None
            and line_start(self.source, start) >= self.start
            and next_line(self.source, end) <= self.end
            and is_trivia(self.source.text[end : line_end(self.source, end)])
        )

    def _remove_lines(self, first: int, last: int) -> Iterator[Edit]:
        start = line_start(self.source, self.entries[first][0])
        yield self._edit(start, next_line(self.source, self._behind(last)))
        comma = self._commas[first - 1] if first else None
        if self._commas[last] is None and comma is not None:
            yield self._edit(comma, comma + 1)

    def _middle(self, first: int, last: int) -> Span:
        start, following = self.entries[first][0], self.entries[last + 1][0]
        behind = self._behind(last)
        gap = self.source.text[behind:following]
        if "\n" in gap or "\r" in gap:
            if first and indentation(self.source, start) is None:
                return self._after_comma(first), behind
            if "#" in gap:
                return start, behind
        return start, following

    def _tail(self, first: int, last: int) -> Span:
        start, before = self.entries[first][0], self.entries[first - 1][1]
        if "#" in self.source.text[before:start]:
            return start, self._behind(last)
        if self._commas[last] is None:
            return before, self.entries[last][1]
        return self._after_comma(first), self._behind(last)

    def _after_comma(self, index: int) -> int:
        """Offset behind the comma before the entry; the entry when a comment lies between."""
        behind, start = self._behind(index - 1), self.entries[index][0]
        return start if self.source.text[behind:start].strip() else behind


def _runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of neighbours."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = runs[-1][0], index
        else:
            runs.append((index, index))
    return runs
