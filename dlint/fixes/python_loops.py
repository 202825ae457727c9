"""A statement put first into the body of a Python loop."""

from __future__ import annotations

import libcst as cst

from dlint.findings.edits import Edit
from dlint.fixes.lines import find_token, indentation, next_line
from dlint.fixes.python_syntax import Syntax

Loop = cst.For | cst.While

_BLANKS_PER_LEVEL = 4
"""In the texts that rules give."""


def insert_first(syntax: Syntax, loop: Loop, text: str) -> Edit | None:
    """Make `text` the first statement of the loop's body, above the comments that lead it."""
    source = syntax.source
    start, end = syntax.span(loop)
    outer = indentation(source, start)
    head = loop.iter if isinstance(loop, cst.For) else loop.test
    colon = find_token(source, ":", syntax.span(head)[1], end)
    if outer is None or colon is None:
        return None
    first = syntax.span(loop.body.body[0])[0]
    if isinstance(loop.body, cst.SimpleStatementSuite):
        unit = syntax.default_indent
        lines = [*_indented(text, outer + unit, unit), outer + unit]
        return Edit(source.path, colon + 1, first, source.newline + source.newline.join(lines))
    body = indentation(source, first) or outer + syntax.default_indent
    unit = body.removeprefix(outer) or syntax.default_indent
    at = next_line(source, colon)
    lines = [line + source.newline for line in _indented(text, body, unit)]
    return Edit(source.path, at, at, "".join(lines))


def _indented(text: str, base: str, unit: str) -> list[str]:
    """The lines of `text` below `base`, its levels in the file's own unit."""
    lines = []
    for line in text.splitlines():
        bare = line.lstrip(" ")
        levels, rest = divmod(len(line) - len(bare), _BLANKS_PER_LEVEL)
        lines.append(base + unit * levels + " " * rest + bare if bare else "")
    return lines
