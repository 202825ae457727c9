"""A statement moved to the top of its Python module."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from itertools import chain, pairwise

import libcst as cst

from dlint.findings.edits import Edit
from dlint.fixes.lines import find_token, indentation, is_trivia, line_end, line_start, next_line
from dlint.fixes.python_imports import last_leading_row, offset_below
from dlint.fixes.python_names import bindings, scopes_around
from dlint.fixes.python_syntax import Syntax
from dlint.workspace.source import Source

_FORBIDDEN = (
    ast.Await
    | ast.Yield
    | ast.YieldFrom
    | ast.NamedExpr
    | ast.Lambda
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)
"""What cannot stand at module level, or binds names of its own."""


def move_to_top(syntax: Syntax, path: Sequence[cst.CSTNode]) -> list[Edit] | None:
    """Move the simple statement of `path` below the module's leading imports."""
    source, tree = syntax.source, syntax.tree
    statement = next((n for n in path if isinstance(n, cst.BaseSmallStatement)), None)
    if tree is None or statement is None:
        return None
    start, end = syntax.span(statement)
    row = source.position(start)[0]
    last = last_leading_row(tree, row)
    text = _dedented(source, start, end)
    if last is None or _is_there(source, last, start) or not _may_move(tree, text, row, last):
        return None
    removal, comment = _removal(syntax, path, statement)
    at = offset_below(source, last)
    return [Edit(source.path, at, at, f"{source.newline}{text}{comment}{source.newline}"), removal]


def _is_there(source: Source, last: int, start: int) -> bool:
    """Whether only blank lines and comments stand between the imports and the statement."""
    rows = range(last + 1, source.position(start)[0])
    return indentation(source, start) == "" and all(is_trivia(source.line(r)) for r in rows)


def _dedented(source: Source, start: int, end: int) -> str:
    """The statement's text, its further lines moved left unless that changes a string."""
    text = source.text[start:end]
    before = source.text[line_start(source, start) : start]
    indent = before[: len(before) - len(before.lstrip())]
    lines = text.splitlines(keepends=True)
    moved = "".join([lines[0], *(line.removeprefix(indent) for line in lines[1:])])
    return moved if _dump(moved) == _dump(text) else text


def _dump(text: str) -> str | None:
    """What `text` means as a module of its own; None when it cannot be one."""
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None


def _may_move(tree: ast.Module, text: str, row: int, last: int) -> bool:
    """Whether the statement means at row `last` of the module what it means at `row`."""
    try:
        (statement,) = ast.parse(text).body
    except SyntaxError:
        return False
    nodes = list(ast.walk(statement))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    local = {b.name for b in chain.from_iterable(map(bindings, scopes_around(tree, row)))}
    is_effect = isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign))
    binds = any(isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) for n in nodes)
    if not is_effect or binds or names & local or any(isinstance(n, _FORBIDDEN) for n in nodes):
        return False
    return all(_is_known(tree, name, last) for name in names)


def _is_known(tree: ast.Module, name: str, last: int) -> bool:
    """Whether the leading imports bind `name` for good, or it is a builtin that nothing rebinds."""
    bound = [b for b in bindings(tree) if b.name == name]
    if not bound:
        return hasattr(builtins, name)
    imports = all(b.module is not None for b in bound)
    return imports and any(b.direct and b.row <= last for b in bound)


def _removal(
    syntax: Syntax, path: Sequence[cst.CSTNode], statement: cst.BaseSmallStatement
) -> tuple[Edit, str]:
    """The edit that takes the statement from its place, and the comment that goes with it."""
    source = syntax.source
    depth = path.index(statement)
    line, block = path[depth - 1], path[depth - 2]
    start, end = syntax.span(statement)
    assert isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite))
    if len(line.body) > 1:
        return Edit(source.path, *_joined_range(syntax, line.body, statement), ""), ""
    if isinstance(statement.semicolon, cst.Semicolon):
        end = (find_token(source, ";", end, len(source.text)) or end) + 1
    comment = source.text[end : line_end(source, end)].rstrip()
    if isinstance(line, cst.SimpleStatementSuite) or _is_alone(block):
        return Edit(source.path, start, end + len(comment), "pass"), comment
    return Edit(source.path, line_start(source, start), next_line(source, end), ""), comment


def _is_alone(block: cst.CSTNode) -> bool:
    return isinstance(block, cst.IndentedBlock) and len(block.body) == 1


def _joined_range(
    syntax: Syntax,
    line: Sequence[cst.BaseSmallStatement],
    statement: cst.BaseSmallStatement,
) -> tuple[int, int]:
    """The statement with the semicolon that joins it to the next one, or to the one before."""
    for first, second in pairwise(line):
        if first is statement:
            return syntax.span(first)[0], syntax.span(second)[0]
    return syntax.span(line[-2])[1], syntax.span(statement)[1]
