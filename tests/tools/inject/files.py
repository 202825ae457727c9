"""One Python file read with the standard library's parser, apart from dlint's own reading."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from dlint.findings.places import Span
from dlint.workspace.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Block = ast.Module | Function | ast.ClassDef | ast.Lambda


@dataclass(eq=False)
class File:
    """The syntax tree of a file with what the tree itself does not tell."""

    source: Source
    tree: ast.Module
    _parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    @classmethod
    def parsed(cls, source: Source) -> File | None:
        """The file of a source; None when this Python cannot parse it."""
        tree = parse(source.text)
        if tree is None:
            return None
        file = cls(source, tree)
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                file._parents[child] = node
        return file

    @property
    def path(self) -> str:
        """The absolute path."""
        return self.source.path

    @property
    def text(self) -> str:
        """The whole text."""
        return self.source.text

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node, parents before children."""
        return list(ast.walk(self.tree))

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call, in the order of their places."""
        found = [node for node in self.nodes if isinstance(node, ast.Call)]
        return sorted(found, key=lambda call: (call.lineno, call.col_offset))

    @cached_property
    def imports(self) -> dict[str, str]:
        """What each imported name stands for, dotted; relative imports keep their dots."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    found[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{module}.{alias.name}"
        return found

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, from the inside out."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def block(self, node: ast.AST) -> Block:
        """The function, class or module that a node stands in."""
        return next(a for a in self.ancestors(node) if isinstance(a, Block))

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a node, past functions."""
        return next((a for a in self.ancestors(node) if isinstance(a, ast.ClassDef)), None)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement of a node that is no block, or the node itself."""
        if isinstance(node, ast.stmt):
            return node
        return next(a for a in self.ancestors(node) if isinstance(a, ast.stmt))

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> Span:
        """The offsets of a node in the text; the parser counts columns in bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._offset(node.lineno, node.col_offset)
        return start, self._offset(node.end_lineno, node.end_col_offset)

    def rows(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The first and last row of a node, from 1."""
        return node.lineno, node.end_lineno or node.lineno

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def origin(self, expression: ast.expr) -> str:
        """The dotted name of a name or attribute, with imports resolved; else an empty string."""
        if isinstance(expression, ast.Name):
            return self.imports.get(expression.id, expression.id)
        if isinstance(expression, ast.Attribute):
            base = self.origin(expression.value)
            return f"{base}.{expression.attr}" if base else ""
        return ""

    def _offset(self, row: int, column: int) -> int:
        start = self.source.line_starts[row - 1]
        line = self.text[start : start + column]
        if line.isascii():
            return start + column
        return start + len(line.encode()[:column].decode(errors="ignore"))


def parse(text: str) -> ast.Module | None:
    """The tree of a text; None when this Python cannot parse it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def last_name(call: ast.Call) -> str:
    """The last part of a callee's name, or an empty string."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """The keyword argument of this name."""
    return next((k for k in call.keywords if k.arg == name), None)


def is_true(argument: ast.keyword | None) -> bool:
    """Whether an argument is a literal True."""
    return (
        argument is not None
        and isinstance(argument.value, ast.Constant)
        and argument.value.value is True
    )


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what it holds, without the bodies of functions and classes defined in it."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += [c for c in ast.iter_child_nodes(current) if not isinstance(c, Block)]
