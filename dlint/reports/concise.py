"""One line for each finding, as editors and `grep` take it."""

from __future__ import annotations

from collections.abc import Sequence

from dlint.diagnostic import Diagnostic
from dlint.reports.full import headline
from dlint.reports.palette import Palette
from dlint.reports.view import View


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """`path:row:column: code name [*] message` for each finding."""
    palette = Palette(view.colour)
    return "".join(_line(view, palette, diagnostic) for diagnostic in diagnostics)


def _line(view: View, palette: Palette, diagnostic: Diagnostic) -> str:
    row, column = view.position(diagnostic.place)
    name = palette.strong(view.name(diagnostic.place.path))
    return f"{name}:{row}:{column}: {headline(view, palette, diagnostic)}\n"
