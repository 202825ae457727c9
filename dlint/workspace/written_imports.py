"""The imports in a text, as they are written, and its syntax tree."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from dlint.findings.regexes import lazily

BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
"""The fields of statements that hold further ones."""


_STATEMENT = lazily(
    rb"(?:^|[\r\f;:])[ \t\f]*+(?:from|import)\b"
    rb"(?:[^\n\\(#]++|\\\r?\n|\\|\((?:[^()#]++|#[^\n]*+)*+\)?)*+",
    re.M,
)
"""An import, as far as its words may reach; also in texts."""
_WORD = lazily(rb"[\w\x80-\xff]+")


class Written(NamedTuple):
    """One import statement, or one of the modules that it names."""

    module: str
    level: int
    members: tuple[str, ...] | None
    """What is taken from the module, `*` for all; None where it is named itself."""


def written_imports(text: bytes) -> tuple[Written, ...]:
    """The imports of a text, wherever they stand."""
    return _all_and_top(text)[0]


def import_words(text: bytes) -> frozenset[bytes]:
    """Words among which are all that the imports of a text consist of, found without a parse."""
    return frozenset(_WORD.findall(b"\n".join(_STATEMENT.findall(text))))


def as_written(plain: Iterable[Any]) -> tuple[Written, ...]:
    """What is held by the same values in lists, as JSON has them."""
    return tuple(
        Written(module, level, None if members is None else tuple(members))
        for module, level, members in plain
    )


def top_of(text: bytes) -> tuple[Written, ...]:
    """Those that run whenever the module does: in order, none of blocks."""
    return _all_and_top(text)[1]


@lru_cache(maxsize=1_024)
def _all_and_top(text: bytes) -> tuple[tuple[Written, ...], tuple[Written, ...]]:
    """Both, of one parse; kept for who asks again of the same text."""
    tree = parsed(text)
    return tuple(_imports(_statements(tree))), tuple(_imports(iter(tree.body)))


def parsed(text: bytes) -> ast.Module:
    """The syntax tree of a text; an empty one where it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])


def _imports(statements: Iterator[ast.AST]) -> Iterator[Written]:
    for node in statements:
        if isinstance(node, ast.Import):
            yield from (Written(alias.name, 0, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Written(node.module or "", node.level, names)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for block in BLOCKS:
            waiting += getattr(node, block, ())
