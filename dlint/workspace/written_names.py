"""The names by which a text speaks of things, put back to those that its imports take them by.

Question: what does a file call, and which imported things does it hand on, by their full names?
Followed: imports wherever they stand, under whatever name. Functions of the file itself are left
out where it calls them, for their bodies are part of the text. Given up on: names that are bound to
what was imported by anything but the import, which stay as they are written.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dlint.workspace.written_imports import parsed

CALLED = "()"
"""What a name ends with that is called."""
UNKNOWN = "?"
"""What stands for that which no import binds, before the attribute that is called."""
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class _Bound(NamedTuple):
    """What a text binds: names to what they are imported as, and those of its own functions."""

    imported: dict[str, set[str]]
    own: set[str]


def full_names(text: bytes, words: Iterable[str]) -> frozenset[str]:
    """Names whose last part holds one of some words; these words, called, of what is no Python."""
    lower = text.lower()
    sought = [word.lower() for word in words if word.lower().encode() in lower]
    tree = parsed(text if sought else b"")
    if not tree.body:
        return frozenset(word + CALLED for word in sought)
    bound = _bound(tree)
    named = (name for one in _spoken(tree) for name in _full(*one, bound))
    return frozenset(name for name in named if _holds(name, sought))


def _holds(name: str, sought: Iterable[str]) -> bool:
    last = name.removesuffix(CALLED).rpartition(".")[2].lower()
    return any(word in last for word in sought)


def _bound(tree: ast.AST) -> _Bound:
    imported, own = defaultdict[str, set[str]](set), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITIONS):
            own.add(node.name)
        elif isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                imported[one.asname or first].add(one.name if one.asname else first)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for one in node.names:
                dot = "." if node.module else ""
                imported[one.asname or one.name].add(f"{module}{dot}{one.name}")
    return _Bound(imported, own)


def _spoken(tree: ast.AST) -> Iterator[tuple[list[str], bool]]:
    """The parts of each dotted name that is read, and whether it is called."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_called = waiting.pop()
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            yield [node.id, *reversed(parts)], is_called
            continue
        if parts:
            yield [UNKNOWN, *reversed(parts)], is_called
        called = node.func if isinstance(node, ast.Call) else None
        waiting += [(inner, inner is called) for inner in ast.iter_child_nodes(node)]


def _full(parts: list[str], is_called: bool, bound: _Bound) -> Iterator[str]:
    """The full names of what is imported, or called and no function of the text itself."""
    first, *rest = parts
    tail = CALLED if is_called else ""
    if first in bound.imported:
        yield from (".".join([name, *rest]) + tail for name in bound.imported[first])
    elif is_called and not _is_own(parts, bound.own):
        yield f"{UNKNOWN}.{parts[-1]}{tail}" if rest else first + tail


def _is_own(parts: list[str], own: set[str]) -> bool:
    """Whether a function of the text is named, or a method by `self`."""
    return parts[-1] in own and parts[:-1] in ([], ["self"])
