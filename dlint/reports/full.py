"""The report for people: each finding with its code, what it rests on, and what fixes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from dlint import rule_docs
from dlint.findings.diagnostic import Applicability, Diagnostic, Related
from dlint.findings.links import linked, rule_page
from dlint.findings.places import Place, Span
from dlint.reports import measure, patch
from dlint.reports.frame import Frame, rows
from dlint.reports.palette import Palette
from dlint.reports.shown import Shown
from dlint.reports.view import View
from dlint.reports.wrapping import wrapped
from dlint.workspace.source import Part

_NOTES = {
    Applicability.UNSAFE: "unsafe fix, look at it before you keep it",
    Applicability.TRIAL: "not applied by `--fix`: whether it pays has to be measured",
}
_CONTEXT = 2
_BORDER = 6
"""Cells of a line beside its number and its code: the frame, a bar beside a place, a cut's mark."""
_NARROWEST = 40


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """All findings, a blank line behind each."""
    palette, shown = Palette(view.colour), Shown()
    findings = (_Finding(view, palette, diagnostic, shown) for diagnostic in diagnostics)
    return "".join("\n".join(finding.lines()) + "\n\n" for finding in findings)


def headline(view: View, palette: Palette, diagnostic: Diagnostic) -> str:
    """Severity, code, name, the mark of a fixable finding, message."""
    return f"{_head(view, palette, diagnostic, view.links)}{diagnostic.message}"


def _wrapped_headline(view: View, palette: Palette, diagnostic: Diagnostic) -> str:
    plain = _head(view, Palette(colour=False), diagnostic, links=False)
    message = wrapped(diagnostic.message, len(plain), view.width)
    return f"{_head(view, palette, diagnostic, view.links)}{message}"


def _head(view: View, palette: Palette, diagnostic: Diagnostic, links: bool) -> str:
    severity = palette.severity(diagnostic.severity.value, diagnostic.severity)
    label = palette.severity(f"{diagnostic.code} {diagnostic.name}", diagnostic.severity)
    page = rule_page(diagnostic.name)
    if links and rule_docs.url(diagnostic.name) == page:  # no other address is trusted
        label = linked(label, page)
    mark = f" {palette.hint('[*]')}" if view.is_fixable(diagnostic) else ""
    return f"{severity}: {label}{mark} "


class _Finding:
    def __init__(self, view: View, palette: Palette, diagnostic: Diagnostic, shown: Shown) -> None:
        self._view = view
        self._palette = palette
        self._diagnostic = diagnostic
        self._shown = shown
        parts = patch.by_part(view, view.edits(diagnostic) or ())
        self._edits = sorted(parts, key=lambda part: not self._is_shown(part[0]))
        self._gutter = len(str(max(self._shown_rows())))

    def lines(self) -> Iterator[str]:
        yield _wrapped_headline(self._view, self._palette, self._diagnostic)
        yield self._arrow("-->", self._diagnostic.place)
        yield from self._primary()
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

    def _primary(self) -> Iterator[str]:
        """The code of the place, with what stands around it unless that has been shown."""
        place, at = self._diagnostic.place, self._diagnostic.argument
        part = self._view.part(place)
        self._shown.begin(place.path)
        if part is None or not part.source.text:
            return
        whole = _within(part, place)
        first, last = rows(part.source, whole)
        context = 0 if self._shown.holds(part, (first, last)) else _CONTEXT
        self._shown.add(part, (first - context, last + context))
        marked = whole if at is None else _within(part, at)
        yield from self._frame(part).draw(marked, self._mark, context, whole)

    def _mark(self, text: str) -> str:
        return self._palette.severity(text, self._diagnostic.severity)

    def _related(self, related: Related) -> Iterator[str]:
        """The place, and its code unless that has been shown."""
        yield f"{self._arrow(':::', related.place)}  {self._palette.strong(related.message)}"
        part = self._view.part(related.place)
        if part is None or not part.source.text:
            return
        span = _within(part, related.place)
        if not self._shown.holds(part, rows(part.source, span)):
            self._shown.add(part, rows(part.source, span))
            yield from self._frame(part).draw(span, self._palette.hint, 0)

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
            yield from patch.draw(self._frame(part), edits, partial(self._is_seen, part))
        if fix.applicability in _NOTES:
            yield f"{self._palette.hint('note')}: {_NOTES[fix.applicability]}"

    def _is_seen(self, part: Part, row: int) -> bool:
        return self._shown.holds(part, (row, row))

    def _frame(self, part: Part) -> Frame:
        """A frame of which a line is as wide as the terminal."""
        frame = Frame(part.source, self._gutter, self._palette)
        if self._view.width is None:
            return frame
        return replace(frame, width=max(_NARROWEST, self._view.width - self._gutter - _BORDER))

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
