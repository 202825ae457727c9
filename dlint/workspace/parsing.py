"""Texts parsed as Python: by libcst, within bounds, with the places that Python itself has."""

from __future__ import annotations

import ast
import re
import warnings

import libcst as cst

from dlint.workspace import bounds, parse_cost
from dlint.workspace.source import Source

TOO_DEEP = f"nested too deeply to read (more than {bounds.MOST} levels)"
_DEEP_PATTERN = "pattern nested too deeply to read (more than {} brackets, a brace counted as two)"


class SyntaxProblem(Exception):  # noqa: N818
    """Text that is no Python module; `row` and `column` count from 1."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(f"{row}:{column}: {message}")
        self.row, self.column, self.message = row, column, message


def parse(source: Source) -> cst.Module:
    """The tree of a module. Raises SyntaxProblem."""
    try:
        if "\0" in source.text:
            _ask_python(source)
        if (crowded := bounds.crowded_line(source.text)) is not None:
            raise SyntaxProblem(*source.position(crowded), "the line is too long to read")
        if (deep := parse_cost.deep_pattern(source.text)) is not None:
            message = _DEEP_PATTERN.format(parse_cost.MOST_IN_PATTERN)
            raise SyntaxProblem(source.position(deep)[0], 1, message)
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
        parse(Source("", text))
    except SyntaxProblem:
        return False
    return True


def _refuse_deep(source: Source) -> None:
    """Raise SyntaxProblem where the text nests deeper than what is read."""
    try:
        row, levels = bounds.deepest(source.text)
    except (RecursionError, MemoryError) as error:
        raise SyntaxProblem(1, 1, TOO_DEEP) from error
    except (SyntaxError, ValueError) as error:
        if "too many" in str(error):  # of Python's own limits, which is none of libcst
            raise SyntaxProblem(getattr(error, "lineno", None) or 1, 1, TOO_DEEP) from error
        return  # perhaps of a newer Python
    if levels > bounds.MOST:
        raise SyntaxProblem(row, 1, TOO_DEEP)


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
        raise SyntaxProblem(1, 1, TOO_DEEP) from error


def _parser_problem(error: cst.ParserSyntaxError) -> SyntaxProblem:
    """What libcst says of a text that Python takes."""
    message = error.message.splitlines()[0].removeprefix("parser error: ")
    place = re.match(r"error at (\d+):(\d+): ", message)
    if place is None:
        return SyntaxProblem(error.raw_line, error.raw_column + 1, message)
    return SyntaxProblem(int(place[1]), max(int(place[2]), 1), message[place.end() :])
