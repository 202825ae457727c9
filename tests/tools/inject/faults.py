"""One fault: the text of a file with it, and what must be reported of that text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dlint.findings.places import Span
from tests.tools.inject.files import File, parse
from tests.tools.inject.loops import Reading

_COMMA = re.compile(r"[ \t]*,[ \t]*")

Rows = tuple[int, int]
"""The first and the last row, from 1."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A place where one fault can be put into a file."""

    kind: str
    path: str
    row: int
    """Where the text is changed, in the original."""
    text: str
    evidence: str
    """Why it must be reported; empty where the rule of thumb does not say that it must."""
    expected: tuple[str, Rows, Rows]
    """The path, and the rows in the original and in the changed file, of an awaited finding."""

    @property
    def must_be_reported(self) -> bool:
        """Whether a finding is awaited."""
        return bool(self.evidence)


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to spoil a program, and the rule that should say so."""

    name: str
    rule: str
    find: Callable[[Reading], Iterator[Fault]]


def replaced(text: str, span: Span, new: str) -> str | None:
    """A text with a part replaced; None when it does not parse any longer."""
    changed = text[: span[0]] + new + text[span[1] :]
    return None if parse(changed) is None else changed


def without_keyword(file: File, argument: ast.keyword) -> str | None:
    """The file's text without one argument of a call."""
    start, end = file.span(argument)
    comma = _COMMA.match(file.text, end)
    return replaced(file.text, (start, comma.end() if comma else end), "")


def with_statement(file: File, after: ast.stmt, statement: str) -> str | None:
    """The file's text with a line behind `after`, in the same block."""
    start, end = file.span(after)
    last = after.end_lineno or after.lineno
    indent = file.text[file.source.line_starts[after.lineno - 1] : start]
    rest = file.source.line(last)[end - file.source.line_starts[last - 1] :].strip()
    if indent.strip() or (rest and not rest.startswith("#")):
        return None
    return _inserted(file, last, indent + statement)


def _inserted(file: File, row: int, line: str) -> str | None:
    """The text with a line behind a row."""
    newline = file.source.newline
    starts = file.source.line_starts
    if row < len(starts):
        return replaced(file.text, (starts[row], starts[row]), line + newline)
    end = len(file.text)
    return replaced(file.text, (end, end), newline + line + newline)
