"""One line for each finding, as editors and `grep` take it."""

from __future__ import annotations

from collections.abc import Sequence

from dlint.findings.controls import in_one_line
from dlint.findings.diagnostic import Diagnostic
from dlint.reports.full import headline
from dlint.reports.palette import Palette
from dlint.reports.view import View


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """`path:row:column: code name [*] message` for each finding; in a notebook with the cell."""
    palette = Palette(view.colour)
    return "".join(_line(view, palette, diagnostic) for diagnostic in diagnostics)


def _line(view: View, palette: Palette, diagnostic: Diagnostic) -> str:
    name = in_one_line(view.name(diagnostic.place.path))
    where = palette.strong(name) + view.where(diagnostic.place).removeprefix(name)
    return f"{where}: {headline(view, palette, diagnostic)}\n"
