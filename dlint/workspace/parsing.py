"""Texts parsed as Python: by libcst, within bounds, with the places that Python itself has."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import suppress

import libcst as cst

from dlint.findings.regexes import lazily
from dlint.workspace import bounds, parse_cost
from dlint.workspace.source import Source

TOO_DEEP = f"nested too deeply to read (more than {bounds.MOST} levels)"
_DEEP_PATTERN = "pattern nested too deeply to read (more than {} brackets, a brace counted as two)"

_ODD = lazily(r"[\f\v]|\r(?!\n)")
_LAYOUT = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}


class SyntaxProblem(Exception):  # noqa: N818
    """Text that is no Python module; `row` and `column` count from 1."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(f"{row}:{column}: {message}")
        self.row, self.column, self.message = row, column, message


def parse(source: Source) -> cst.Module:
    """The tree of a module. Raises SyntaxProblem."""
    check(source)
    try:
        return _parsed(source)
    except UnicodeEncodeError as error:
        raise _no_text(source, error) from error


def check(source: Source) -> None:
    """Raise SyntaxProblem for a text that is no module or beyond the bounds of what is parsed."""
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
    except UnicodeEncodeError as error:
        raise _no_text(source, error) from error


def _no_text(source: Source, error: UnicodeEncodeError) -> SyntaxProblem:
    message = f"character {source.text[error.start]!r} cannot be encoded"
    return SyntaxProblem(*source.position(error.start), message)


def _parsed(source: Source) -> cst.Module:
    try:
        return cst.parse_module(source.text)
    except cst.ParserSyntaxError:
        _ask_python(source)
    try:
        return tree_of(source.text)
    except cst.ParserSyntaxError as error:
        raise _parser_problem(error) from error


def tree_of(text: str) -> cst.Module:
    """libcst's tree of a text that Python takes, as long as the text.

    libcst takes no block that spaces indent deeper than a tab does: then the tree has a space for
    each tab that indents. Raises `ParserSyntaxError`.
    """
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError:
        narrow = _with_narrow_tabs(text)
        if narrow == text:
            raise
        return cst.parse_module(narrow)


def _with_narrow_tabs(text: str) -> str:
    """The text with a space for each tab that indents a statement.

    Blocks nest as they did: Python takes only what nests alike with tabs of eight columns and of
    one (`ALTTABSIZE` of CPython's tokenizer).
    """
    if _ODD.search(text):
        return text
    lines = io.StringIO(text).readlines()
    with suppress(tokenize.TokenError, SyntaxError):
        for row in _indented_rows(text):
            code = lines[row - 1].lstrip(" \t")
            indent = lines[row - 1].removesuffix(code)
            lines[row - 1] = indent.replace("\t", " ") + code
    return "".join(lines)


def _indented_rows(text: str) -> Iterator[int]:
    """The rows at which statements begin, counted from 1."""
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if begins and token.type not in _LAYOUT:
            yield token.start[0]
        begins = token.type == tokenize.NEWLINE or (begins and token.type in _LAYOUT)


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
