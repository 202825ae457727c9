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
    """A parsed source. Spans are those of `dlint.ir.spans`: without parentheses around."""

    def __init__(self, source: Source, module: cst.Module) -> None:
        self.source = source
        self.module = module
        self.spans = measure(module, source.text)

    def span(self, node: cst.CSTNode) -> Span:
        return self.spans[node]

    def text(self, node: cst.CSTNode) -> str:
        start, end = self.span(node)
        return self.source.text[start:end]

    def path(self, start: int, end: int) -> list[cst.CSTNode]:
        """The nodes whose span holds `start` to `end`, the module first, the innermost last."""
        return self._descend(self.module, start, end) or [self.module]

    def _descend(self, node: cst.CSTNode, start: int, end: int) -> list[cst.CSTNode] | None:
        """Nodes that have no span of their own are looked through, and left out where they fail."""
        span = self.spans.get(node)
        if span is not None and not span[0] <= start <= end <= span[1]:
            return None
        for child in _children(node):
            if found := self._descend(child, start, end):
                return [node, *found]
        return None if span is None else [node]

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
def parse(source: Source) -> Syntax | None:
    """The syntax of a source; None when it cannot be parsed or its spans are not certain."""
    try:
        syntax = Syntax(source, cst.parse_module(source.text))
    except (cst.ParserSyntaxError, RecursionError):
        return None
    names = (node for node in syntax.spans if isinstance(node, cst.Name))
    return syntax if all(syntax.text(name) == name.value for name in names) else None


@cache
def _child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(kind) if not _TRIVIA.search(f.name))


def _children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        for child in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(child, cst.CSTNode):
                yield child
