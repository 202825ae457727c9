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
from dlint.workspace.source import Source
from dlint.workspace.written_imports import BLOCKS

_TRIVIA = lazily(
    r"whitespace|_lines$|header|footer|indent|comma|semicolon|^dot$|^equal$|^colon$|newline"
    r"|^[lr](par|brace|bracket|paren)|asynchronous|encoding"
)


class Syntax:
    """A source, parsed a function or statement of its module at a time, as far as it is asked for.

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

    def path(self, start: int, end: int) -> list[cst.CSTNode] | None:
        """The nodes whose span holds `start` to `end`, the outermost first, the innermost last.

        The outermost is the block around a function, or a module that holds no more than the
        statements around. None where there is none, where they cannot be parsed, or their spans
        are not certain.
        """
        piece = self._around(start, end)
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

    def _around(self, start: int, end: int) -> Span | None:
        """The lines of what holds `start` to `end`; all where that is not known."""
        if self.tree is None:
            return 0, len(self.source.text)
        rows = self.source.position(start)[0], self.source.position(end)[0]
        function = _function_around(self.tree, *rows)
        if function is not None:
            return self._lines_of(function)
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


@lru_cache(maxsize=16)
def syntax_of(source: Source) -> Syntax:
    """The syntax of a source, which is parsed once for all that is asked of it."""
    return Syntax(source)


def _rows(statement: ast.stmt) -> tuple[int, int]:
    """The first and last row of a statement, with its decorators."""
    above = (decorator.lineno for decorator in getattr(statement, "decorator_list", ()))
    return min((statement.lineno, *above)), statement.end_lineno or statement.lineno


def _function_around(tree: ast.Module, first: int, last: int) -> ast.stmt | None:
    """The innermost function that holds some rows."""
    function: ast.stmt | None = None
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for child in (child for block in BLOCKS for child in getattr(node, block, ())):
            if not isinstance(child, ast.stmt):
                waiting.append(child)
                continue
            begin, end = _rows(child)
            if begin <= first and last <= end:
                is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                function, waiting = child if is_function else function, [child]
                break
    return function


def _parse(text: str) -> cst.CSTNode:
    """The module that a text is; of lines that are all indented, the block."""
    if not text.startswith((" ", "\t")):
        return cst.parse_module(text)
    around = cst.parse_module(f"if 1:\n{text}").body[0]
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
