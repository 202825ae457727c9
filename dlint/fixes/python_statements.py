"""A simple statement of a Python source, put where another one stood."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from dlint.findings.edits import Edit
from dlint.findings.places import Place
from dlint.fixes.lines import indentation
from dlint.fixes.python_syntax import Syntax


def replace_statement(
    syntax: Syntax, path: Sequence[cst.CSTNode], place: Place, text: str
) -> list[Edit] | None:
    """Put `text` in place of the simple statement that fills `place`."""
    source, span = syntax.source, (place.start, place.end)
    statement = next((n for n in path if isinstance(n, cst.BaseSmallStatement)), None)
    if statement is None or syntax.span(statement) != span:
        return None
    line = next((n for n in path if isinstance(n, cst.SimpleStatementLine)), None)
    lines = text.splitlines()
    if len(lines) > 1 and (line is None or len(line.body) > 1):
        return None
    joint = source.newline + (indentation(source, place.start) or "")
    return [Edit(source.path, place.start, place.end, joint.join(lines))]
