"""Where the nodes of Python's own tree stand."""

from __future__ import annotations

import ast

from dlint.findings.places import Place
from dlint.workspace.source import Source


def place(node: ast.expr, source: Source) -> Place:
    """Where an expression stands, without brackets around it; columns of the tree count bytes."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = _offset(source, node.lineno, node.col_offset)
    end = _offset(source, node.end_lineno, node.end_col_offset)
    if isinstance(node, ast.Tuple) and source.text[start] == "(":
        start, end = start + 1, end - 1
    return Place(source.path, start, end)


def _offset(source: Source, row: int, column: int) -> int:
    before = source.line(row).encode("utf-8")[:column].decode("utf-8")
    return source.offset(row, len(before) + 1)
