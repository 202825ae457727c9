"""What the comments of one file suppress, and which of them suppress nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place, Span
from dlint.rule_docs import COMMENT_RULES
from dlint.suppression.comments import Layout, layout
from dlint.suppression.directives import Directive, Entry, Malformed, Noqa, directives, noqa
from dlint.suppression.uses import UnusedNames
from dlint.workspace.source import Source


@dataclass(slots=True)
class _Named:
    """An entry of a directive and the rule it means."""

    entry: Entry
    rule: str | None
    is_used: bool = False


class Suppressions:
    """The comments of one file, and which of them are in use."""

    def __init__(self, source: Source, ran: frozenset[str]) -> None:
        self._source = source
        self._ran = ran
        self._layout: Layout = layout(source)
        self._noqa: dict[int, Noqa] = {}
        self._malformed: list[Malformed] = []
        self._directives: list[tuple[Directive, list[_Named]]] = []
        self._in_file: list[_Named] = []
        self._by_row: defaultdict[int, list[_Named]] = defaultdict(list)
        for comment in self._layout.comments:
            if (blanket := noqa(comment)) is not None:
                self._noqa[comment.row] = blanket
            for directive in directives(comment):
                self._note(directive)

    def _note(self, directive: Directive | Malformed) -> None:
        if isinstance(directive, Malformed):
            self._malformed.append(directive)
            return
        named = []
        for entry in directive.entries:
            summary = rule_docs.resolve(entry.text)
            named.append(_Named(entry, None if summary is None else summary.name))
        self._directives.append((directive, named))
        if directive.whole_file:
            self._in_file += named
            return
        first, last = directive.comment.covers
        for row in range(first, last + 1):
            self._by_row[row] += named

    def suppresses(self, diagnostic: Diagnostic) -> bool:
        """Whether a comment suppresses the finding; every entry that does is then in use."""
        rows = self._rows(diagnostic.place)
        named = [*self._in_file, *(n for row in rows for n in self._by_row.get(row, ()))]
        suppressing = [n for n in named if n.rule == diagnostic.name]
        for one in suppressing:
            one.is_used = True
        blankets = (self._noqa[row] for row in rows if row in self._noqa)
        return bool(suppressing) or any(
            blanket.codes is None or _names(blanket.codes, diagnostic) for blanket in blankets
        )

    def _rows(self, place: Place) -> set[int]:
        """The rows on which a comment speaks of a finding at this place.

        These are its own rows within the logical lines in which it starts and ends, and the first
        and last rows of those lines, where formatters move comments.
        """
        start = self._source.position(place.start)[0]
        end = self._source.position(place.end)[0]
        rows: set[int] = set()
        for first, last in (self._layout.logical_line(start), self._layout.logical_line(end)):
            rows.update({first, last}, range(max(first, start), min(last, end) + 1))
        return rows

    def unused(self) -> Iterator[UnusedNames]:
        """The comments with names of rules that ran and found nothing there."""
        for directive, entries in self._directives:
            unused = [n for n in entries if self._is_unused(n)]
            if unused:
                removed, text = self._removal(
                    directive, [n.entry for n in entries if n not in unused]
                )
                names = tuple(named.entry.text for named in unused)
                place = Place(self._source.path, *directive.span)
                yield UnusedNames(place, names, directive.whole_file, removed, text)

    def _is_unused(self, named: _Named) -> bool:
        return not named.is_used and named.rule in self._ran - frozenset(COMMENT_RULES)

    def malformed(self) -> Iterator[tuple[Malformed, Place]]:
        """The comments that cannot be read."""
        for malformed in self._malformed:
            yield malformed, Place(self._source.path, *malformed.span)

    def unknown(self) -> Iterator[tuple[str, Place]]:
        """The names that no rule has or had."""
        for _, entries in self._directives:
            for named in entries:
                if named.rule is None:
                    yield named.entry.text, Place(self._source.path, *named.entry.span)

    def _removal(self, directive: Directive, left: Sequence[Entry]) -> tuple[Span, str]:
        """What goes when unused names go, and the text in its place: none for a whole comment."""
        start, end = directive.span
        if not left:
            return self._whole_comment(start, end), ""
        text = self._source.text
        names = ", ".join(entry.text for entry in left)
        opening = text[start : directive.entries[0].span[0]].rstrip()
        return (start, end), opening + names + text[directive.list_end : end]

    def _whole_comment(self, start: int, end: int) -> Span:
        """The comment with the blanks before it; with its line when nothing else stands there."""
        row = self._source.position(start)[0]
        starts = self._source.line_starts
        line_start, line = starts[row - 1], self._source.line(row)
        before, behind = line[: start - line_start], line[end - line_start :]
        if before.strip():
            return line_start + len(before.rstrip()), end
        if behind.strip():
            return start, end + len(behind) - len(behind.lstrip())
        return line_start, starts[row] if row < len(starts) else len(self._source.text)


def _names(codes: frozenset[str], diagnostic: Diagnostic) -> bool:
    """Whether one of these is a code of the finding's rule, or was one."""
    if diagnostic.code in codes:
        return True
    rules = (rule_docs.resolve(code) for code in codes)
    return any(rule is not None and rule.name == diagnostic.name for rule in rules)
