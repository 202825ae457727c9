"""The report for people: each finding with its code, what it rests on, and what fixes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlint import rule_docs
from dlint.findings.diagnostic import Applicability, Diagnostic, Related
from dlint.findings.links import linked, rule_page
from dlint.findings.places import Place, Span
from dlint.reports import measure, patch
from dlint.reports.frame import Frame, rows
from dlint.reports.palette import Palette
from dlint.reports.view import View
from dlint.workspace.source import Part

_NOTES = {
    Applicability.UNSAFE: "unsafe fix, look at it before you keep it",
    Applicability.TRIAL: "not applied by `--fix`: whether it pays has to be measured",
}
_CONTEXT = 2


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """All findings, a blank line behind each."""
    palette = Palette(view.colour)
    return "".join("\n".join(_Finding(view, palette, d).lines()) + "\n\n" for d in diagnostics)


def headline(view: View, palette: Palette, diagnostic: Diagnostic) -> str:
    """Code, name, the mark of a fixable finding, message."""
    label = palette.severity(f"{diagnostic.code} {diagnostic.name}", diagnostic.severity)
    page = rule_page(diagnostic.name)
    if view.links and rule_docs.url(diagnostic.name) == page:  # no other address is trusted
        label = linked(label, page)
    mark = f" {palette.hint('[*]')}" if view.is_fixable(diagnostic) else ""
    return f"{label}{mark} {diagnostic.message}"


class _Finding:
    def __init__(self, view: View, palette: Palette, diagnostic: Diagnostic) -> None:
        self._view = view
        self._palette = palette
        self._diagnostic = diagnostic
        parts = patch.by_part(view, view.edits(diagnostic) or ())
        self._edits = sorted(parts, key=lambda part: not self._is_shown(part[0]))
        self._gutter = len(str(max(self._shown_rows())))

    def lines(self) -> Iterator[str]:
        yield headline(self._view, self._palette, self._diagnostic)
        yield self._arrow("-->", self._diagnostic.place)
        yield from self._code(self._diagnostic.place, _CONTEXT)
        for related in self._diagnostic.related:
            yield from self._related(related)
        if self._edits:
            yield from self._help()
        measured = self._view.measured(self._diagnostic)
        for measurement in measured:
            yield f"{self._palette.hint('measured')}: {measurement.in_words()}"
        advice = measure.advice(self._view, self._diagnostic)
        if advice is not None and not measured:
            yield f"{self._palette.hint('help')}: {advice}"

    def _arrow(self, arrow: str, place: Place) -> str:
        return f"{self._palette.frame(' ' * self._gutter + arrow)} {self._view.where(place)}"

    def _code(self, place: Place, context: int) -> Iterator[str]:
        part = self._view.part(place)
        is_primary = place is self._diagnostic.place
        if part is None or not part.source.text:
            return
        severity = self._diagnostic.severity

        def mark(text: str) -> str:
            return (
                self._palette.severity(text, severity) if is_primary else self._palette.hint(text)
            )

        yield from self._frame(part).draw(_within(part, place), mark, context)

    def _related(self, related: Related) -> Iterator[str]:
        yield f"{self._arrow(':::', related.place)}  {self._palette.strong(related.message)}"
        if not self._is_in_view(related.place):
            yield from self._code(related.place, 0)

    def _is_in_view(self, place: Place) -> bool:
        """Whether the frame of the primary place shows this one already."""
        primary = self._diagnostic.place
        part = self._view.part(place)
        if part is None or not self._is_shown(part):
            return place.path == primary.path and part is None
        top, bottom = rows(part.source, _within(part, primary))
        first, last = rows(part.source, _within(part, place))
        return top - _CONTEXT <= first and last <= bottom + _CONTEXT

    def _is_shown(self, part: Part) -> bool:
        """Whether the primary place stands in this file or cell."""
        primary = self._view.part(self._diagnostic.place)
        if primary is None or part.source.path != primary.source.path:
            return False
        return part.start == primary.start

    def _help(self) -> Iterator[str]:
        fix = self._diagnostic.fix
        if fix is None:
            return
        yield f"{self._palette.hint('help')}: {fix.message}"
        for part, edits in self._edits:
            if not self._is_shown(part):
                start = part.start + edits[0].start
                yield self._arrow(":::", Place(part.source.path, start, start))
            yield from patch.draw(self._frame(part), edits)
        if fix.applicability in _NOTES:
            yield f"{self._palette.hint('note')}: {_NOTES[fix.applicability]}"

    def _frame(self, part: Part) -> Frame:
        return Frame(part.source, self._gutter, self._palette)

    def _shown_rows(self) -> Iterator[int]:
        """Numbers among which is the largest one shown."""
        yield 1
        for place in (self._diagnostic.place, *(r.place for r in self._diagnostic.related)):
            part = self._view.part(place)
            if part is not None:
                last = rows(part.source, _within(part, place))[1]
                yield min(last + _CONTEXT, part.source.row_count)
        for part, edits in self._edits:
            yield patch.last_number(part.source, edits)


def _within(part: Part, place: Place) -> Span:
    """A place as counted from where its file or cell begins, and cut off where that ends."""
    end = min(place.end - part.start, len(part.source.text))
    return place.start - part.start, end
