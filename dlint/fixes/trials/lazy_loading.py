"""The trial edit for data that a constructor reads: keep what it reads from, read when asked.

Standard shapes only: a list made by a comprehension, or appended to in a loop, whose items are
asked for one by one.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import NamedTuple

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix
from dlint.findings.operations import ReplaceExpression
from dlint.fixes.trials.syntax import place
from dlint.workspace.source import Source

TITLE = "Keep what the samples are read from, and read each when it is asked for"


class _Eager(NamedTuple):
    """Where an attribute gets the items that are read."""

    attribute: str
    item: ast.expr
    """What is read, for each of the targets."""
    targets: list[str]
    """The variables of the loop that it is read from."""
    held: ast.expr
    """The `self.name` that is filled."""


def lazy_reading(diagnostic: Diagnostic, source: Source) -> Fix | None:
    """The edit for a finding of `eager-load-in-init`; None where its shape is another."""
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError):
        return None
    row, _ = source.position(diagnostic.place.start)
    last, _ = source.position(max(diagnostic.place.start, diagnostic.place.end - 1))
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef) and cls.lineno <= row <= (cls.end_lineno or 0):
            eager = _eager(cls, row, last)
            if eager is not None:
                return _fix(eager, cls, tree, source)
    return None


def _eager(cls: ast.ClassDef, row: int, last: int) -> _Eager | None:
    init = next((f for f in _methods(cls) if f.name == "__init__"), None)
    for node in ast.walk(init) if init is not None else ():
        if isinstance(node, ast.Assign | ast.For) and _meets(node, row, last):
            found = _listed(node) if isinstance(node, ast.Assign) else _appended(node)
            if found is not None:
                return found
    return None


def _meets(node: ast.stmt, row: int, last: int) -> bool:
    return node.lineno <= last and row <= (node.end_lineno or node.lineno)


def _methods(cls: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (node for node in cls.body if isinstance(node, ast.FunctionDef))


def _listed(node: ast.Assign) -> _Eager | None:
    """`self.name = [item for target in things]`."""
    value, held = node.value, node.targets[0]
    if len(node.targets) > 1 or not isinstance(value, ast.ListComp) or len(value.generators) > 1:
        return None
    (loop,) = value.generators
    if loop.is_async:
        return None
    return _made(held, value.elt, loop.target)


def _appended(node: ast.For) -> _Eager | None:
    """`for target in things: self.name.append(item)`, beside other simple statements."""
    temporary: dict[str, ast.expr] = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            temporary[statement.targets[0].id] = statement.value
        held = _append(statement)
        if held is None:
            continue
        (item,) = statement.value.args  # type: ignore[attr-defined]
        if isinstance(item, ast.Name) and item.id in temporary:
            if sum(isinstance(n, ast.Name) and n.id == item.id for n in ast.walk(node)) > 2:
                return None
            item = temporary[item.id]
        if any(isinstance(n, ast.Call) for n in ast.walk(item)):
            return _made(held, item, node.target)
    return None


def _append(statement: ast.stmt) -> ast.expr | None:
    """The list that a statement appends one thing to."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    called = call.func
    is_append = isinstance(called, ast.Attribute) and called.attr == "append"
    return called.value if is_append and isinstance(called, ast.Attribute) else None


def _made(held: ast.expr, item: ast.expr, target: ast.expr) -> _Eager | None:
    name = _own_name(held)
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    if name is None or not all(isinstance(part, ast.Name) for part in parts):
        return None
    bound = [part.id for part in parts if isinstance(part, ast.Name)]
    used = {n.id for n in ast.walk(item) if isinstance(n, ast.Name)}
    targets = [n for n in bound if n in used]
    return _Eager(name, item, targets, held) if targets else None


def _own_name(node: ast.AST) -> str | None:
    """The name of an attribute of `self`."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    if is_own and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "self" else None
    return None


def _fix(eager: _Eager, cls: ast.ClassDef, tree: ast.Module, source: Source) -> Fix | None:
    """The edit: the loop keeps its variables, and each item that is asked for is read."""
    asked = _asked(eager, cls)
    if not asked or not _is_known_everywhere(eager.item, eager.targets, tree):
        return None
    names = ", ".join(eager.targets)
    one = len(eager.targets) == 1
    kept = names if one or isinstance(eager.item, ast.Tuple) else f"({names})"
    operations = [ReplaceExpression(place(eager.item, source), kept)]
    read = f"lambda {names}: {ast.unparse(eager.item)}"
    for node in asked:
        text = ast.unparse(node)
        operations.append(
            ReplaceExpression(place(node, source), f"({read})({text if one else f'*{text}'})")
        )
    return Fix(Applicability.TRIAL, TITLE, tuple(operations))


def _asked(eager: _Eager, cls: ast.ClassDef) -> list[ast.Subscript]:
    """Where single items are asked for; empty if anything else is done with the list."""
    asked: list[ast.Subscript] = []
    fine = {eager.held}
    for node in ast.walk(cls):
        if isinstance(node, ast.Subscript) and _own_name(node.value) == eager.attribute:
            if isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice):
                asked.append(node)
                fine.add(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "len":
                fine.update(node.args)
        elif isinstance(node, ast.Assign):
            fine.update(_emptied(node))
    init = next(f for f in _methods(cls) if f.name == "__init__")
    early = set(ast.walk(init)).intersection(asked)
    uses = [n for n in ast.walk(cls) if _own_name(n) == eager.attribute and n not in fine]
    return [] if uses or early else asked


def _emptied(node: ast.Assign) -> Iterator[ast.expr]:
    """What an assignment makes an empty list."""
    value, target = node.value, node.targets[0]
    if isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple):
        rows = zip(target.elts, value.elts, strict=False)
        yield from (name for name, part in rows if _is_empty(part))
    elif _is_empty(value):
        yield from node.targets


def _is_empty(node: ast.expr) -> bool:
    return ast.unparse(node) in {"[]", "list()"}


def _is_known_everywhere(item: ast.expr, targets: list[str], tree: ast.Module) -> bool:
    """Whether what an item is made of means the same in every method."""
    if any(isinstance(n, ast.Await | ast.NamedExpr | ast.Yield) for n in ast.walk(item)):
        return False
    inner = {n.id for n in ast.walk(item) if isinstance(n, ast.Name) and _is_stored(n)}
    inner |= {n.arg for n in ast.walk(item) if isinstance(n, ast.arg)}
    used = {n.id for n in ast.walk(item) if isinstance(n, ast.Name)}
    return used <= inner | {*targets, "self"} | _globals(tree) | set(dir(builtins))


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _globals(tree: ast.Module) -> set[str]:
    """The names that a module binds at its top level."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return found
