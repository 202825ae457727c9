"""Settings that a Python file writes as data: `loader = dict(num_workers=4)`.

Question: what does `Config.fromfile` of MMEngine and mmcv hold, and where does each value stand?
Followed: assignments to names, `dict(…)`, displays, constants, names that were bound before, and
the files that `_base_` names, below what the file says itself. Given up on: files that hold
anything but assignments, imports and texts.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.frontends.settings_files import HIDDEN, Branch, Leaf, Row, Tree
from dlint.workspace.spelling import normal

if TYPE_CHECKING:
    from dlint.findings.places import Span

    TreeOf = Callable[[str], Tree | None]

_BASE = "_base_"
_ALONE = "_delete_"
"""The key of a dict that takes nothing of the one in a base file."""
_CODE = lazily(r"(?m)^(?:def|class|async|for|while|with|try|if|@)\b")
_MOST = 10_000
"""Values of one file; names of names may stand for many more."""
_DEPTH = 40
_SIGNS = {ast.USub: -1, ast.UAdd: 1}


def tree_of_python(path: str, text: str, tree_of: TreeOf) -> Tree | None:
    """The tree of a file that assigns data to names, and does nothing else.

    `tree_of` gives those of the files that it is based on; None where one of them has none.
    """
    if _CODE.search(text):
        return None
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    own = _Reader(path, text).tree(module.body)
    base = None if own is None else own.items.pop(_BASE, None)
    for name in () if own is None or base is None else _named(base):
        below = None if name is None else tree_of(normal(f"{posixpath.dirname(path)}/{name}"))
        own = _over(below, own) if own is not None and isinstance(below, Branch) else None
    return own


def _named(base: Tree) -> Iterator[str | None]:
    """The files that `_base_` names, the last one first: it counts more."""
    for leaf in reversed(base.items) if isinstance(base, Row) else [base]:
        text = leaf.value if isinstance(leaf, Leaf) else None
        yield text if isinstance(text, str) and "::" not in text else None


def _over(below: Branch, own: Branch) -> Branch:
    """What a dict holds that lies over another one."""
    items = dict(below.items)
    for name, tree in own.items.items():
        under = items.get(name)
        if isinstance(tree, Branch) and _ALONE in tree.items:
            rest = {key: value for key, value in tree.items.items() if key != _ALONE}
            tree = replace(tree, items=rest)
        elif isinstance(tree, Branch) and isinstance(under, Branch):
            tree = _over(under, tree)
        items[name] = tree
    return replace(own, items=items)


class _Reader:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._rows = text.split("\n")
        self._starts = [0]
        for row in self._rows:
            self._starts.append(self._starts[-1] + len(row) + 1)
        self._bound: dict[str, Tree] = {}

    def tree(self, statements: list[ast.stmt]) -> Branch | None:
        """What the statements bind; None where one of them does something else, or too much."""
        left = _MOST
        for statement in statements:
            name = _binds(statement)
            if name is not None and isinstance(statement, ast.Assign):
                self._bound[name] = self._value(statement.value)
                left -= _size(self._bound[name], left)
                if left <= 0:
                    return None
            elif not isinstance(statement, ast.Import | ast.ImportFrom) and not _is_text(statement):
                return None
        return Branch(self._path, (0, self._starts[-1] - 1), self._bound)

    def _value(self, node: ast.expr) -> Tree:
        items = _items(node)
        if items is not None:
            held = {name: self._value(value) for name, value in items.items()}
            return Branch(self._path, self._span(node), held)
        match node:
            case ast.Name() if node.id in self._bound:
                held_there = self._bound[node.id]
                is_leaf = isinstance(held_there, Leaf)
                return replace(held_there, span=self._span(node)) if is_leaf else held_there
            case ast.List() | ast.Tuple():
                return Row(self._path, self._span(node), [self._value(e) for e in node.elts])
            case ast.Constant(value=str() | int() | float() | None as value):
                return Leaf(self._path, self._span(node), value)
            case ast.UnaryOp(operand=ast.Constant(value=int() | float() as value)):
                sign = _SIGNS.get(type(node.op))
                return Leaf(self._path, self._span(node), sign * value if sign else HIDDEN)
        return Leaf(self._path, self._span(node), HIDDEN)

    def _span(self, node: ast.expr) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = self._offset(node.lineno, node.col_offset)
        return begin, self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, row: int, column: int) -> int:
        """Where a column of a row stands, which Python counts in bytes."""
        before = self._rows[row - 1].encode()[:column]
        return self._starts[row - 1] + len(before.decode())


def _size(tree: Tree, most: int) -> int:
    """How many values a tree holds; `most` for more, or for deeper ones than anybody sets."""
    waiting, size = [(tree, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        size += 1
        if size >= most or depth > _DEPTH:
            return most
        inner = part.items if isinstance(part, Branch | Row) else ()
        held = inner.values() if isinstance(inner, dict) else inner
        waiting += [(one, depth + 1) for one in held]
    return size


def _items(node: ast.expr) -> dict[str, ast.expr] | None:
    """The items of `dict(…)` or a display, if all keys are texts that are written out."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        names = {word.arg: word.value for word in node.keywords}
        return None if node.args or None in names else {str(n): v for n, v in names.items()}
    if not isinstance(node, ast.Dict):
        return None
    keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
    pairs = zip(keys, node.values, strict=True)
    found = {key: value for key, value in pairs if isinstance(key, str)}
    return found if len(found) == len(keys) else None


def _binds(statement: ast.stmt) -> str | None:
    """The one name that an assignment binds."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
