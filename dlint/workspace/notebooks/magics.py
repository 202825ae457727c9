"""What IPython takes and Python does not, hidden so that the rest of a cell can be read.

A hidden text is replaced by a name of the same length that no program has, so that every other
character stays where it is and no block loses its only statement.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from typing import NamedTuple

from dlint.findings.regexes import lazily

HIDDEN = "\ua015"
"""The letter that such a name is made of."""
PLACEHOLDER = lazily(f"#?{HIDDEN}+;?")
"""What stands for one hidden text."""

_KEPT = frozenset(
    {"capture", "heat", "memit", "mprun", "prun", "pyinstrument", "scalene", "snakeviz"}
    | {"time", "timeit", "wandb"}
)
"""Cell magics that run the body of their cell in the notebook."""
_CELL = lazily(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?P<line>%%(?P<name>\w+)[^\n]*)")
_LINE = lazily(
    r"""[ \t]*(?P<hidden>[%!][^\n]*|\?[^\n]*|[^\n#'"]*\?[ \t]*(?=\n|$))"""
    r"""|[ \t]*[\w.,\[\] \t]*?=[ \t]*(?P<assigned>[!%][\w$./~{][^\n]*)"""
)
_TIMED = lazily(r"%(?:time|timeit|prun|memit)[ \t](?=[ \t]*[^\s\-])")
"""Line magics that run the statement behind them."""
_BARE = lazily(
    r"[ \t]*(?P<hidden>(?:pip|pip3|conda|mamba|uv|cd|ls|ll|pwd|mkdir|rmdir|rm|cp|mv|cat)"
    r"\b(?![ \t]*[=(.,\[:])[^\n]*)"
)
"""Commands that IPython takes without a sign."""
_TOKEN = lazily(
    r"(?P<triple>\"\"\"|''')|(?P<quote>[\"'])|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<skip>\\[\s\S]|#[^\n]*)|(?P<end>\n)"
)
_MAY_BE_NEW = lazily(r"\b[fF][rR]?[\"']|\b[rR][fF][\"']|^\s*type\s|\w\[\w+\]\(", re.M)


class Read(NamedTuple):
    """What came of one cell: its Python, as long as the cell, or why there is none."""

    text: str | None
    problem: str | None = None
    """What Python says of a cell that is left out although it should be Python."""


def read_cell(source: str) -> Read:
    """The Python of a cell; the cell as it is wherever that is Python."""
    problem = problem_of(source)
    if problem is None or HIDDEN in source:
        return Read(None if HIDDEN in source else source)
    text = source
    while (cell := _CELL.match(text)) is not None:
        if cell["name"] not in _KEPT:
            return Read(None)
        start, end = cell.span("line")
        text = text[:start] + HIDDEN * (end - start) + text[end:]
    for strict in (True, False):
        hidden = _hide(text, strict)
        if hidden is not None and problem_of(hidden) is None:
            return Read(hidden)
    return Read(None, problem)


def problem_of(text: str) -> str | None:
    """What Python says against a text, with the line it says it of; None if it is Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            return None if _is_newer(text) else f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            return str(error) or type(error).__name__
    return None


def shown(text: str, hidden: tuple[str, ...]) -> str:
    """The text with what is hidden in it."""
    if HIDDEN not in text:
        return text
    originals = iter(hidden)
    return PLACEHOLDER.sub(lambda found: next(originals, found[0]), text)


def _is_newer(text: str) -> bool:
    """Whether a text is Python of a version that is newer than the running one."""
    if sys.version_info >= (3, 12) or not _MAY_BE_NEW.search(text):
        return False
    from dlint.workspace.parsing import is_python

    return is_python(text)


def _hide(text: str, strict: bool) -> str | None:
    """The text without magics, shell commands and calls for help; None if one cannot be hidden."""
    parts: list[str] = []
    copied = position = 0
    while position < len(text):
        found = _LINE.match(text, position) or (None if strict else _BARE.match(text, position))
        if found is None:
            position = _next_line(text, position)
            continue
        group = "assigned" if found.groupdict().get("assigned") else "hidden"
        start = found.start(group)
        end, hidden = _hidden(text, start, strict)
        if hidden is None:
            return None
        parts += text[copied:start], hidden
        copied = end
        position = end + 1
    return "".join([*parts, text[copied:]])


def _hidden(text: str, start: int, strict: bool) -> tuple[int, str | None]:
    """Where a command ends, and what is to stand there; its further lines become comments."""
    timed = _TIMED.match(text, start) if strict else None
    if timed is not None:
        return timed.end(), HIDDEN * (timed.end() - start - 1) + ";"
    end = _line_end(text, start)
    hidden = HIDDEN * (end - start)
    while text[end - 1 : end + 1] == "\\\n":
        first, end = end + 1, _line_end(text, end + 1)
        line = text[first:end]
        code = line.lstrip(" \t")
        if len(code) == 1:
            return end, None
        blank = line[: len(line) - len(code)]
        hidden += "\n" + blank + ("#" + HIDDEN * (len(code) - 1) if code else "")
    return end, hidden


def _line_end(text: str, position: int) -> int:
    """Where a line ends: before its newline, and before a carriage return there."""
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" and end > position else end


def _next_line(text: str, position: int) -> int:
    """Where the logical line behind the one that begins at an offset begins."""
    depth = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        kind = token.lastgroup
        if kind == "triple":
            end = _string_end(text, token[0], position)
            position = len(text) if end is None else end
        elif kind == "quote":
            position = _string_end(text, token[0], position) or position
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "end" and depth == 0:
            return position
    return len(text)


def _string_end(text: str, quote: str, position: int) -> int | None:
    """Where the string that was opened ends; None if it is not closed, or not on its line."""
    inner = r"(?:\\[\s\S]|[^\\])*?" if len(quote) == 3 else r"(?:\\[\s\S]|[^\\\n])*?"
    found = re.compile(inner + quote).match(text, position)
    return None if found is None else found.end()
