"""The Python front-end: the text of a module -> its ModuleIndex."""

from __future__ import annotations

import ast
import gc
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import libcst as cst

from dlint.ir import (  # noqa: F401  the functions of these enter themselves into the tables
    bounds,
    lower_blocks,
    lower_expressions,
    lower_imports,
    lower_scopes,
    lower_strings,
    lower_targets,
)
from dlint.ir.environment import Environment
from dlint.ir.lower_callee_names import name_callees
from dlint.ir.lower_context import PENDING, Context
from dlint.ir.lower_statements import lower_body
from dlint.ir.module import Evaluate, ModuleIndex, Scope
from dlint.ir.spans import measure
from dlint.workspace.source import Source

_RECURSION_LIMIT = 20_000
_TOO_DEEP = f"nested too deeply to read (more than {bounds.MOST} levels)"


class SyntaxProblem(Exception):  # noqa: N818
    """Text that is no Python module; `row` and `column` count from 1."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(f"{row}:{column}: {message}")
        self.row, self.column, self.message = row, column, message


def lower(source: Source) -> ModuleIndex:
    """The index of one module. Raises SyntaxProblem."""
    with _undisturbed():
        try:
            return _lower_module(source, _parsed(source))
        except RecursionError as error:
            raise SyntaxProblem(1, 1, _TOO_DEEP) from error


def _parsed(source: Source) -> cst.Module:
    try:
        if "\0" in source.text:
            _ask_python(source)
        if (crowded := bounds.crowded_line(source.text)) is not None:
            raise SyntaxProblem(*source.position(crowded), "the line is too long to read")
        if bounds.may_be_deep(source.text):
            _refuse_deep(source)
        return cst.parse_module(source.text)
    except cst.ParserSyntaxError as error:
        _ask_python(source)
        raise _parser_problem(error) from error
    except UnicodeEncodeError as error:
        message = f"character {source.text[error.start]!r} cannot be encoded"
        raise SyntaxProblem(*source.position(error.start), message) from error


def is_python(text: str) -> bool:
    """Whether a text is a module by the grammar of the newest Python."""
    try:
        _parsed(Source("", text))
    except SyntaxProblem:
        return False
    return True


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Deep recursion, no collection of garbage, and no work on nodes that lowering does not need.

    A parse makes many objects and no cycles. That libcst checks every node of its own tree again
    costs a seventh of the parse, and that blanks and punctuation keep what they hold as much.
    """
    limit, collects, validate = sys.getrecursionlimit(), gc.isenabled(), cst.CSTNode.__post_init__
    makers = [(kind, kind.__init__) for kind in _BLANKS]
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    gc.disable()
    cst.CSTNode.__post_init__ = _accept  # type: ignore[assignment, method-assign]
    for kind in _BLANKS:
        kind.__init__ = _leave_empty  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        for kind, make in makers:
            kind.__init__ = make  # type: ignore[method-assign]
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


def _lower_module(source: Source, node: cst.Module) -> ModuleIndex:
    index, text = ModuleIndex(source.path), source.text
    scope = Scope("module", "<module>", "<module>", (0, len(text)), index)
    index.body = scope
    index.scopes.append(scope)
    environment, nowhere = Environment(scope), Evaluate((0, 0), PENDING, scope.body)
    spans = measure(node, text)
    context = Context(index, text, spans, scope, environment, scope.body, nowhere)
    lower_body(context, node.body)
    environment.finish()
    name_callees(index)
    return index


def _refuse_deep(source: Source) -> None:
    """Raise SyntaxProblem where the text nests deeper than what is read."""
    try:
        row, levels = bounds.deepest(source.text)
    except (RecursionError, MemoryError) as error:
        raise SyntaxProblem(1, 1, _TOO_DEEP) from error
    except (SyntaxError, ValueError) as error:
        if "too many" in str(error):  # of Python's own limits, which is none of libcst
            raise SyntaxProblem(getattr(error, "lineno", None) or 1, 1, _TOO_DEEP) from error
        return  # perhaps of a newer Python
    if levels > bounds.MOST:
        raise SyntaxProblem(row, 1, _TOO_DEEP)


def _ask_python(source: Source) -> None:
    """Raise SyntaxProblem with the place and message that Python itself has for the text."""
    null = source.text.find("\0")
    if null >= 0:
        raise SyntaxProblem(*source.position(null), "source code cannot contain null bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.text)
    except SyntaxError as error:
        column = max(error.offset or 1, 1)
        raise SyntaxProblem(error.lineno or 1, column, error.msg) from error
    except (RecursionError, MemoryError) as error:
        raise SyntaxProblem(1, 1, _TOO_DEEP) from error


def _parser_problem(error: cst.ParserSyntaxError) -> SyntaxProblem:
    """What libcst says of a text that Python takes."""
    message = error.message.splitlines()[0].removeprefix("parser error: ")
    place = re.match(r"error at (\d+):(\d+): ", message)
    if place is None:
        return SyntaxProblem(error.raw_line, error.raw_column + 1, message)
    return SyntaxProblem(int(place[1]), max(int(place[2]), 1), message[place.end() :])
