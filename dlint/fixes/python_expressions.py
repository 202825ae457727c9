"""Source text of expressions, put where another expression stood."""

from __future__ import annotations

import ast

import libcst as cst

from dlint.findings.edits import Edit
from dlint.fixes.python_syntax import Syntax

_ATOMS = (
    ast.Name
    | ast.Constant
    | ast.Attribute
    | ast.Call
    | ast.Subscript
    | ast.List
    | ast.Dict
    | ast.Set
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.JoinedStr
)
_LOOSER_THAN_COMMA = ast.Tuple | ast.GeneratorExp | ast.NamedExpr | ast.Yield | ast.YieldFrom
_FREE_HOLDERS = (
    cst.AnnAssign
    | cst.Arg
    | cst.Assign
    | cst.AugAssign
    | cst.DictElement
    | cst.Element
    | cst.Expr
    | cst.Index
    | cst.Return
)


def as_operand(text: str) -> str:
    """`text` as it may stand between commas: what binds looser gets parentheses."""
    node = _parsed(text)
    is_loose = isinstance(node, _LOOSER_THAN_COMMA) and not _is_enclosed(node)
    return f"({text})" if is_loose else text


def replace_expression(
    syntax: Syntax, target: cst.BaseExpression, holder: cst.CSTNode, text: str
) -> Edit:
    """Put `text` in place of `target`, in parentheses where `holder` or a neighbour needs them."""
    start, end = syntax.span(target)
    if not target.lpar:
        source = syntax.source.text
        fits = isinstance(holder, _FREE_HOLDERS) or _is_atom(text)
        glued = _is_glued(source[start - 1 : start], text, source[end : end + 1])
        text = as_operand(text) if fits and not glued else f"({text})"
    return Edit(syntax.source.path, start, end, text)


def call_method(syntax: Syntax, target: cst.BaseExpression | None, name: str) -> list[Edit] | None:
    """Call a method of an expression where it stands; None where it is no primary one."""
    if not isinstance(target, cst.Call | cst.Name | cst.Attribute | cst.Subscript):
        return None
    _, end = syntax.span(target)
    return [Edit(syntax.source.path, end, end, f".{name}()")]


def _parsed(text: str) -> ast.expr:
    return ast.parse(f"({text.lstrip()}\n)", mode="eval").body


def _is_atom(text: str) -> bool:
    node = _parsed(text)
    return isinstance(node, _ATOMS) or _is_enclosed(node)


def _is_enclosed(node: ast.expr) -> bool:
    """Whether the text of a parsed node has parentheses of its own around it."""
    own = 1 if isinstance(node, (ast.Tuple, ast.GeneratorExp)) else 2
    return node.lineno > 1 or node.col_offset >= own


def _is_glued(before: str, text: str, behind: str) -> bool:
    """Whether `text` would run into what stands around it (`return[x]`, `f"{x}"`, `1.real`)."""
    runs_in = before.isalnum() or before == "_" or behind.isalnum() or behind == "_"
    return runs_in or (before == text[:1] == "{") or (behind == "." and text[-1:].isdigit())
