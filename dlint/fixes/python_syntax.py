"""The syntax tree of one Python source, asked for what stands at an offset."""

from __future__ import annotations

import ast
import dataclasses
import warnings
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache

import libcst as cst

from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.ir.spans import measure
from dlint.workspace.parsing import tree_of
from dlint.workspace.source import Source
from dlint.workspace.written_imports import BLOCKS

_TRIVIA = lazily(
    r"whitespace|_lines$|header|footer|indent|comma|semicolon|^dot$|^equal$|^colon$|newline"
    r"|^[lr](par|brace|bracket|paren)|asynchronous|encoding"
)


class Syntax:
    """A source, parsed a statement or function at a time, as far as it is asked for.

    Spans are those of `dlint.ir.spans`: without parentheses around.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._spans: dict[cst.CSTNode, Span] = {}
        self._pieces: dict[Span, cst.CSTNode | None] = {}

    def span(self, node: cst.CSTNode) -> Span:
        return self._spans[node]

    def fills(self, node: cst.CSTNode, span: Span) -> bool:
        """Whether a node has this span."""
        return self._spans.get(node) == span

    def path(self, start: int, end: int, *, in_function: bool = False) -> list[cst.CSTNode] | None:
        """The nodes whose span holds `start` to `end`, the outermost first, the innermost last.

        The outermost is a block or module that holds no more than the statement around; with
        `in_function`, no more than the function around it. None where nothing is there, where it
        cannot be parsed, or spans are not certain.
        """
        piece = self._around(start, end, in_function)
        whole = None if piece is None else self._parsed(piece)
        return None if whole is None else self._descend(whole, start, end) or [whole]

    @property
    def default_indent(self) -> str:
        """By what the module is indented first."""
        try:
            return cst.parse_module(self.source.text).default_indent
        except (cst.ParserSyntaxError, RecursionError):
            return cst.Module([]).default_indent

    def _descend(self, node: cst.CSTNode, start: int, end: int) -> list[cst.CSTNode] | None:
        """Nodes that have no span of their own are looked through, and left out where they fail."""
        span = self._spans.get(node)
        if span is not None and not span[0] <= start <= end <= span[1]:
            return None
        for child in _children(node):
            if found := self._descend(child, start, end):
                return [node, *found]
        return None if span is None else [node]

    def _around(self, start: int, end: int, in_function: bool) -> Span | None:
        """The lines of what holds `start` to `end`; all where that is not known."""
        if self.tree is None:
            return 0, len(self.source.text)
        rows = self.source.position(start)[0], self.source.position(end)[0]
        kinds = _FUNCTIONS if in_function else ast.stmt
        inner = [one for one in _around(self.tree, *rows) if isinstance(one, kinds)]
        own = next((one for one in reversed(inner) if self._begins_a_line(one)), None)
        if own is not None:
            return self._lines_of(own)
        held = [(a, b) for a, b in self._lines if a <= end and start < b]
        return (held[0][0], held[-1][1]) if held else None

    @cached_property
    def _lines(self) -> list[Span]:
        """From where to where the lines of each statement reach; those of one line are one."""
        found: list[Span] = []
        for statement in [] if self.tree is None else self.tree.body:
            first, last = self._lines_of(statement)
            if found and first < found[-1][1]:
                first = found.pop()[0]
            found.append((first, last))
        return found

    def _begins_a_line(self, statement: ast.stmt) -> bool:
        """Whether a statement stands first in its line, and is none that goes on with another."""
        line = self.source.line(_rows(statement)[0])
        words = line.lstrip()
        indent = len(line) - len(words)
        return statement.col_offset == indent and not words.startswith("elif")

    def _lines_of(self, statement: ast.stmt) -> Span:
        starts = [*self.source.line_starts, len(self.source.text)]
        first, last = _rows(statement)
        return starts[first - 1], starts[min(last, len(starts) - 1)]

    def _parsed(self, piece: Span) -> cst.CSTNode | None:
        if piece not in self._pieces:
            self._pieces[piece] = self._parse(piece)
        return self._pieces[piece]

    def _parse(self, piece: Span) -> cst.CSTNode | None:
        start, end = piece
        whole = 0, len(self.source.text)
        try:
            parsed = _parse(self.source.text[start:end])
            spans = measure(parsed, self.source.text, start)
        except (cst.ParserSyntaxError, RecursionError, ValueError):
            return None if piece == whole else self._parsed(whole)
        names = ((node, span) for node, span in spans.items() if isinstance(node, cst.Name))
        if any(self.source.text[slice(*span)] != name.value for name, span in names):
            return None
        self._spans.update(spans)
        return parsed

    @cached_property
    def tree(self) -> ast.Module | None:
        """The standard library's tree; None when this Python does not know the syntax."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return ast.parse(self.source.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None


_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=16)
def syntax_of(source: Source) -> Syntax:
    """The syntax of a source, which is parsed once for all that is asked of it."""
    return Syntax(source)


def _rows(statement: ast.stmt) -> tuple[int, int]:
    """The first and last row of a statement, with its decorators."""
    above = (decorator.lineno for decorator in getattr(statement, "decorator_list", ()))
    return min((statement.lineno, *above)), statement.end_lineno or statement.lineno


def _around(tree: ast.Module, first: int, last: int) -> list[ast.stmt]:
    """The statements that hold some rows, the outermost first."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for child in (child for block in BLOCKS for child in getattr(node, block, ())):
            if not isinstance(child, ast.stmt):
                waiting.append(child)
                continue
            begin, end = _rows(child)
            if begin <= first and last <= end:
                found.append(child)
                waiting = [child]
                break
    return found


def _parse(text: str) -> cst.CSTNode:
    """The module that a text is; of lines that are all indented, the block."""
    if not text.startswith((" ", "\t")):
        return tree_of(text)
    around = tree_of(f"if 1:\n{text}").body[0]
    assert isinstance(around, cst.If)
    return around.body


@cache
def _child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if not _TRIVIA.search(f.name))


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        for child in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(child, cst.CSTNode):
                yield child
