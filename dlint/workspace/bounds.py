"""How large a text is, how deeply it nests and how long its lines are, told before it is parsed.

Parser, lowering and rules go down into what they read, so a chain of some thousand calls, operators
or `elif`s costs them time that grows with its square, or the stack. Python's own parser is quick
with all of these.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterator

from dlint.findings.regexes import lazily
from dlint.workspace import parse_cost
from dlint.workspace.kinds import MOST_BYTES

MOST = 1_100
"""Levels of the deepest expression or statement that is read."""

_MOST_LINES = 100_000
"""The parser makes nodes of blank ones, too."""
TOO_LARGE = (
    f"more than {MOST_BYTES // 1_000_000} MB, {_MOST_LINES:,} lines, "
    f"or what takes {parse_cost.MOST} MB to parse"
)
_LONG_LINE = lazily(r"[^\r\n]{100001,}")
_MOST_OF_LINE = 40_000
"""Signs of one long line: the parser counts all characters before each of them."""
_WORDS = lazily(r"[\w\s]+")
_APART = lazily(r"\n[ \t]*(?:assert|class|def|del|import|pass|raise|return|try|while)\b")
"""No expression goes on behind one of these at the beginning of a line."""
_LINKS = lazily(r"[)\]}]\s*[.(\[]|\.\s*\w+\s*\.|\b(?:lambda|not|and|or|else|await)\b")
_NO_OPERATORS = bytes(set(range(256)) - set(b"+-*/%|&^@~<>([{"))


def megabytes_to_parse(text: str) -> float:
    """What a parse takes, at most; infinity for a text that is not read whatever it holds."""
    if len(text) > MOST_BYTES or text.count("\n") > _MOST_LINES:
        return math.inf
    return parse_cost.megabytes(text)


def is_too_large(text: str) -> bool:
    """Whether a module is too large to be read: tables, generated code."""
    return megabytes_to_parse(text) > parse_cost.MOST


def _without(text: str, unwanted: bytes) -> bytes:
    return text.encode("utf-8", "replace").translate(None, unwanted)


def crowded_line(text: str) -> int | None:
    """Where a line begins that is long and full of signs, unlike one with a long string."""
    for line in _LONG_LINE.finditer(text):
        if len(_WORDS.sub("", line[0])) > _MOST_OF_LINE:
            return line.start()
    return None


def may_be_deep(text: str) -> bool:
    """Whether anything in a text can nest more than `MOST` levels, by what it is made of."""
    if " " * MOST in text or "\t" * (MOST // 4) in text or text.count("elif") > MOST:
        return True
    return any(map(_may_nest, _APART.split(text)))


def _may_nest(part: str) -> bool:
    if len(part) < MOST:
        return False
    if len(_without(part, _NO_OPERATORS)) > MOST // 2:
        return True
    return sum(1 for _ in _LINKS.finditer(part)) > MOST // 2


def deepest(text: str) -> tuple[int, int]:
    """Row and depth of what nests most. Raises what `ast.parse` does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    row, most = 1, 0
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > most:
            row, most = getattr(node, "lineno", row), depth
        waiting += ((child, depth + step) for child, step in _inner(node))
    return row, most


def _inner(node: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """The parts of a node, and how many levels further down each may stand when it is lowered."""
    flat = len(node.values) if isinstance(node, ast.BoolOp) else 1
    flat = len(node.comparators) if isinstance(node, ast.Compare) else flat
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr_context | ast.operator | ast.unaryop | ast.cmpop):
            yield child, flat
