"""The Python front-end: the text of a module -> its ModuleIndex."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import libcst as cst

from dlint.findings.places import Span
from dlint.ir import (  # noqa: F401  the functions of these enter themselves into the tables
    lower_blocks,
    lower_expressions,
    lower_imports,
    lower_scopes,
    lower_strings,
    lower_targets,
)
from dlint.ir.ast_tree import quick_tree
from dlint.ir.environment import Environment
from dlint.ir.lower_context import PENDING, Context
from dlint.ir.lower_imported_names import note_imported_names
from dlint.ir.lower_statements import lower_body
from dlint.ir.module import Evaluate, ModuleIndex, Scope
from dlint.ir.spans import measure
from dlint.workspace.parsing import TOO_DEEP, SyntaxProblem, check, parse
from dlint.workspace.source import Source

_RECURSION_LIMIT = 20_000


def lower(source: Source) -> ModuleIndex:
    """The index of one module. Raises SyntaxProblem."""
    with _undisturbed():
        try:
            return _lower_tree(source, *_tree(source))
        except RecursionError as error:
            raise SyntaxProblem(1, 1, TOO_DEEP) from error


def _tree(source: Source) -> tuple[cst.Module, Mapping[cst.CSTNode, Span]]:
    """The tree of a module and the spans of its nodes. Raises SyntaxProblem."""
    check(source)
    found = quick_tree(source.text)
    if found is None:
        node = parse(source)
        found = node, measure(node, source.text)
    return found


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Deep recursion, no collection of garbage, and no work on nodes that lowering does not need.

    A parse makes many objects and no cycles. That libcst checks every node of its own tree again
    costs a seventh of the parse, and that blanks and punctuation keep what they hold as much.
    """
    limit, collects, validate = sys.getrecursionlimit(), gc.isenabled(), cst.CSTNode.__post_init__
    makers, hashing = [(kind, kind.__init__) for kind in _BLANKS], cst.CSTNode.__hash__
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    gc.disable()
    cst.CSTNode.__post_init__ = _accept  # type: ignore[assignment, method-assign]
    cst.CSTNode.__hash__ = object.__hash__  # type: ignore[method-assign]
    for kind in _BLANKS:
        kind.__init__ = _leave_empty  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        for kind, make in makers:
            kind.__init__ = make  # type: ignore[method-assign]
        cst.CSTNode.__hash__ = hashing  # type: ignore[method-assign]
        cst.CSTNode.__post_init__ = validate  # type: ignore[method-assign]
        sys.setrecursionlimit(limit)
        if collects:
            gc.enable()


_BLANKS: Final[tuple[type[cst.CSTNode], ...]] = (
    cst.AssignEqual,
    cst.Colon,
    cst.Comma,
    cst.Comment,
    cst.Dot,
    cst.EmptyLine,
    cst.LeftParen,
    cst.LeftSquareBracket,
    cst.Newline,
    cst.ParenthesizedWhitespace,
    cst.RightParen,
    cst.RightSquareBracket,
    cst.SimpleWhitespace,
    cst.TrailingWhitespace,
)
"""Nodes of which no more than the class is asked; half of all are of these."""


def _accept(_: cst.CSTNode) -> None:
    """A node is as the parser made it."""


def _leave_empty(_: cst.CSTNode, **fields: object) -> None:
    """A node without its fields."""


def _lower_tree(source: Source, node: cst.Module, spans: Mapping[cst.CSTNode, Span]) -> ModuleIndex:
    index, text = ModuleIndex(source.path), source.text
    scope = Scope("module", "<module>", "<module>", (0, len(text)), index)
    index.body = scope
    index.scopes.append(scope)
    environment, nowhere = Environment(scope), Evaluate((0, 0), PENDING, scope.body)
    context = Context(index, text, spans, scope, environment, scope.body, nowhere)
    lower_body(context, node.body)
    environment.finish()
    note_imported_names(index)
    return index
