"""The Python front-end: the text of a module -> its ModuleIndex."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import libcst as cst

from dlint.index import (
    lower_scopes,  # noqa: F401  its functions enter themselves
    lower_strings,  # noqa: F401
)
from dlint.index.environment import Environment
from dlint.index.lower_context import PENDING, Context
from dlint.index.lower_statements import lower_body
from dlint.index.model import Block, Evaluate, ModuleIndex, Scope
from dlint.index.spans import measure
from dlint.source import Source

_DEPTH = 20_000
_TOO_DEEP = "nested too deeply to read"


class SyntaxProblem(Exception):  # noqa: N818
    """Text that is no Python module; `row` and `column` count from 1."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(f"{row}:{column}: {message}")
        self.row, self.column, self.message = row, column, message


def lower(source: Source) -> ModuleIndex:
    """The index of one module. Raises SyntaxProblem."""
    with _deep_recursion():
        try:
            module = cst.parse_module(source.text)
            return _lower_module(source, module)
        except cst.ParserSyntaxError as error:
            raise _problem(source, error) from error
        except RecursionError as error:
            raise SyntaxProblem(1, 1, _TOO_DEEP) from error


@contextmanager
def _deep_recursion() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _lower_module(source: Source, node: cst.Module) -> ModuleIndex:
    index = ModuleIndex(source.path)
    scope = Scope("module", "<module>", "<module>", (0, len(source.text)), index)
    index.body = scope
    index.scopes.append(scope)
    start = Evaluate((0, 0), PENDING, Block([]))
    environment = Environment(scope)
    context = Context(
        index, source.text, measure(node, source.text), scope, environment, scope.body, start
    )
    lower_body(context, node.body)
    environment.finish()
    return index


def _problem(source: Source, error: cst.ParserSyntaxError) -> SyntaxProblem:
    """The place and the message as Python itself gives them, where it refuses the text too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source.text)
    except SyntaxError as refusal:
        return SyntaxProblem(refusal.lineno or 1, max(refusal.offset or 1, 1), refusal.msg)
    except ValueError as refusal:
        return SyntaxProblem(1, 1, str(refusal))
    except (RecursionError, MemoryError):
        return SyntaxProblem(1, 1, _TOO_DEEP)
    return SyntaxProblem(error.raw_line, error.raw_column + 1, error.message.splitlines()[0])
