"""The report for people: each finding with its code, what it rests on, and what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlint.diagnostic import Applicability, Diagnostic, Related
from dlint.places import Place
from dlint.reports import patch
from dlint.reports.frame import Frame, rows
from dlint.reports.palette import Palette
from dlint.reports.view import View

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
    mark = f" {palette.hint('[*]')}" if view.is_fixable(diagnostic) else ""
    return f"{label}{mark} {diagnostic.message}"


class _Finding:
    def __init__(self, view: View, palette: Palette, diagnostic: Diagnostic) -> None:
        self._view = view
        self._palette = palette
        self._diagnostic = diagnostic
        files = patch.by_file(view.edits(diagnostic) or ())
        self._edits = sorted(files, key=lambda file: file[0] != diagnostic.place.path)
        self._gutter = len(str(max(self._shown_rows())))

    def lines(self) -> Iterator[str]:
        yield headline(self._view, self._palette, self._diagnostic)
        yield self._arrow("-->", self._diagnostic.place)
        yield from self._code(self._diagnostic.place, _CONTEXT)
        for related in self._diagnostic.related:
            yield from self._related(related)
        if self._edits:
            yield from self._help()

    def _arrow(self, arrow: str, place: Place) -> str:
        row, column = self._view.position(place)
        arrow = self._palette.frame(" " * self._gutter + arrow)
        return f"{arrow} {self._view.name(place.path)}:{row}:{column}"

    def _code(self, place: Place, context: int) -> Iterator[str]:
        frame = self._frame(place.path)
        is_primary = place is self._diagnostic.place
        if frame is None or not frame.source.text:
            return
        severity = self._diagnostic.severity

        def mark(text: str) -> str:
            return (
                self._palette.severity(text, severity) if is_primary else self._palette.hint(text)
            )

        yield from frame.draw((place.start, place.end), mark, context)

    def _related(self, related: Related) -> Iterator[str]:
        yield f"{self._arrow(':::', related.place)}  {self._palette.strong(related.message)}"
        if not self._is_in_view(related.place):
            yield from self._code(related.place, 0)

    def _is_in_view(self, place: Place) -> bool:
        """Whether the frame of the primary place shows this one already."""
        primary = self._diagnostic.place
        source = self._view.source(place.path)
        if place.path != primary.path or source is None:
            return place.path == primary.path
        top, bottom = rows(source, (primary.start, primary.end))
        first, last = rows(source, (place.start, place.end))
        return top - _CONTEXT <= first and last <= bottom + _CONTEXT

    def _help(self) -> Iterator[str]:
        fix = self._diagnostic.fix
        if fix is None:
            return
        yield f"{self._palette.hint('help')}: {fix.message}"
        for path, edits in self._edits:
            if path != self._diagnostic.place.path:
                yield self._arrow(":::", Place(path, edits[0].start, edits[0].end))
            frame = self._frame(path)
            if frame is not None:
                yield from patch.draw(frame, edits)
        if fix.applicability in _NOTES:
            yield f"{self._palette.hint('note')}: {_NOTES[fix.applicability]}"

    def _frame(self, path: str) -> Frame | None:
        source = self._view.source(path)
        return None if source is None else Frame(source, self._gutter, self._palette)

    def _shown_rows(self) -> Iterator[int]:
        """Numbers among which is the largest one shown."""
        yield 1
        for place in (self._diagnostic.place, *(r.place for r in self._diagnostic.related)):
            source = self._view.source(place.path)
            if source is not None:
                yield min(rows(source, (place.start, place.end))[1] + _CONTEXT, source.row_count)
        for path, edits in self._edits:
            source = self._view.source(path)
            if source is not None:
                yield patch.last_number(source, edits)
