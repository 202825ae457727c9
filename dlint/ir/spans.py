"""Spans of libcst nodes, found by reading along the text they were parsed from.

A module renders to exactly the text it was parsed from, so the tokens of a node stand there in the
order of its layout. Between two of them stand only blanks, comments and punctuation that no layout
names. None of libcst's whitespace nodes is visited, which makes this cheaper than rendering.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import libcst as cst

from dlint.findings.places import Span
from dlint.ir.lower_layouts import LAYOUTS, VARIABLE_LAYOUTS, Step
from dlint.ir.shared import span


def measure(node: cst.CSTNode, text: str, start: int = 0) -> Mapping[cst.CSTNode, Span]:
    """The span of every syntactic node, without the parentheses around it.

    `node`, a module or a block, is what `text` holds from `start` on.
    Functions and classes start at their first decorator; blocks end with their last statement.
    Raises ValueError where `node` is not what `text` parses to, KeyError for a class of nodes
    that has no layout.
    """
    reader = _Reader(text, start)
    reader.read(node)
    return reader.spans


def seek(text: str, token: str, position: int) -> int:
    """Where `token` stands next from `position` on, comments left out. Raises ValueError."""
    found = text.index(token, position)
    while (comment := text.find("#", position, found)) >= 0:
        position = _line_end(text, comment)
        found = text.index(token, position)
    return found


def _line_end(text: str, position: int) -> int:
    ends = [end for end in (text.find("\n", position), text.find("\r", position)) if end >= 0]
    return min(ends, default=len(text))


class _Reader:
    """Reads along `text`; methods return where what they stepped over starts, -1 for nothing."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.spans: dict[cst.CSTNode, Span] = {}

    def read(self, node: cst.CSTNode) -> int:
        """Step over a node and all in it; parentheses around it count."""
        kind = type(node)
        enclosed, steps = LAYOUTS[kind]
        if kind in VARIABLE_LAYOUTS:
            steps = VARIABLE_LAYOUTS[kind](node)
        outer = self._parts(node.lpar) if enclosed else -1  # type: ignore[attr-defined]
        start = self._steps(node, steps)
        if kind is cst.If and self.text.startswith("elif", start - 2):
            start -= 2
        self.spans[node] = span(start if start >= 0 else self.position, self.position)
        if enclosed:
            self._parts(node.rpar)  # type: ignore[attr-defined]
        return outer if outer >= 0 else start

    def _steps(self, node: cst.CSTNode, steps: tuple[Step, ...]) -> int:
        start = -1
        for is_field, step in steps:
            part: Any = getattr(node, step) if is_field else step
            kind = type(part)
            if kind is str:
                begin = self._token(part) if part else -1
            elif kind is list or kind is tuple:
                begin = self._parts(part)
            else:
                begin = self.read(part) if kind in LAYOUTS else -1
            if start < 0:
                start = begin
        return start

    def _parts(self, parts: Sequence[cst.CSTNode]) -> int:
        start = -1
        for part in parts:
            begin = self.read(part)
            if start < 0:
                start = begin
        return start

    def _token(self, token: str) -> int:
        found = seek(self.text, token, self.position)
        self.position = found + len(token)
        return found
