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

_TRIVIA = lazily(
    r"whitespace|_lines$|header|footer|indent|comma|semicolon|^dot$|^equal$|^colon$|newline"
    r"|^[lr](par|brace|bracket|paren)|asynchronous|encoding"
)


class Syntax:
    """A source, parsed a statement of its module at a time, as far as it is asked about.

    Spans are those of `dlint.ir.spans`: without parentheses around.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._spans: dict[cst.CSTNode, Span] = {}
        self._pieces: dict[Span, cst.Module | None] = {}

    def span(self, node: cst.CSTNode) -> Span:
        return self._spans[node]

    def fills(self, node: cst.CSTNode, span: Span) -> bool:
        """Whether a node has this span."""
        return self._spans.get(node) == span

    def path(self, start: int, end: int) -> list[cst.CSTNode] | None:
        """The nodes whose span holds `start` to `end`, the module first, the innermost last.

        The module holds no more than the statements around. None where there is none, where they
        cannot be parsed, or their spans are not certain.
        """
        piece = self._around(start, end)
        module = None if piece is None else self._parsed(piece)
        return None if module is None else self._descend(module, start, end) or [module]

    @property
    def default_indent(self) -> str:
        """By what the module is indented first."""
        module = self._parsed((0, len(self.source.text)))
        return cst.Module([]).default_indent if module is None else module.default_indent

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
        """The lines of the statements that hold `start` to `end`; all where they are not known."""
        if self.tree is None:
            return 0, len(self.source.text)
        held = [(a, b) for a, b in self._lines if a <= end and start < b]
        return (held[0][0], held[-1][1]) if held else None

    @cached_property
    def _lines(self) -> list[Span]:
        """From where to where the lines of each statement reach; those of one line are one."""
        found: list[Span] = []
        starts = [*self.source.line_starts, len(self.source.text)]
        for statement in [] if self.tree is None else self.tree.body:
            above = (n.lineno for n in getattr(statement, "decorator_list", ()))
            first = starts[min((statement.lineno, *above)) - 1]
            last = starts[min(statement.end_lineno or statement.lineno, len(starts) - 1)]
            if found and first < found[-1][1]:
                first = found.pop()[0]
            found.append((first, last))
        return found

    def _parsed(self, piece: Span) -> cst.Module | None:
        if piece not in self._pieces:
            self._pieces[piece] = self._parse(piece)
        return self._pieces[piece]

    def _parse(self, piece: Span) -> cst.Module | None:
        start, end = piece
        whole = 0, len(self.source.text)
        try:
            module = cst.parse_module(self.source.text[start:end])
            spans = measure(module, self.source.text, start)
        except (cst.ParserSyntaxError, RecursionError, ValueError):
            return None if piece == whole else self._parsed(whole)
        names = ((node, span) for node, span in spans.items() if isinstance(node, cst.Name))
        if any(self.source.text[slice(*span)] != name.value for name, span in names):
            return None
        self._spans.update(spans)
        return module

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


@cache
def _child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if not _TRIVIA.search(f.name))


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        for child in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(child, cst.CSTNode):
                yield child
