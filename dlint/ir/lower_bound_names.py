"""Which names some statements bind, found before they are lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import libcst as cst

from dlint.ir.lower_imports import imported_name
from dlint.ir.lower_layouts import LAYOUTS, children
from dlint.ir.lower_targets import target_names

_SCOPES: Final = {cst.FunctionDef, cst.ClassDef, cst.Lambda}
_EXPRESSIONS: Final = {kind for kind in LAYOUTS if cst.BaseExpression in kind.__mro__}
"""Not asked by `issubclass`: of libcst's abstract classes, that walks the classes below them."""


def bound_names(roots: Iterable[cst.CSTNode], in_expressions: bool) -> dict[str, None]:
    """The names bound below `roots`, nested scopes left out, as the keys of a dict.

    `in_expressions` looks for `:=` too.
    """
    found: dict[str, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in _BINDERS:
            found.update(dict.fromkeys(_BINDERS[kind](node)))
        if kind not in _SCOPES and (in_expressions or kind not in _EXPRESSIONS):
            stack.extend(children(node))
    return found


def captured_name(pattern: cst.CSTNode) -> cst.Name | None:
    """The name that a pattern itself binds, its parts left out."""
    if isinstance(pattern, cst.MatchAs | cst.MatchStar):
        return pattern.name
    return pattern.rest if isinstance(pattern, cst.MatchMapping) else None


def _target(node: cst.AssignTarget | cst.AugAssign | cst.For | cst.NamedExpr) -> Iterable[str]:
    return target_names(node.target)


def _annotated(node: cst.AnnAssign) -> Iterable[str]:
    return () if node.value is None else target_names(node.target)


def _own_name(node: cst.FunctionDef | cst.ClassDef | cst.TypeAlias) -> Iterable[str]:
    return (node.name.value,)


def _imported(node: cst.ImportAlias) -> Iterable[str]:
    return () if node.asname is not None else (imported_name(node),)


def _captured(node: cst.MatchPattern) -> Iterable[str]:
    name = captured_name(node)
    return () if name is None else (name.value,)


_BINDERS: Final[dict[type, Callable[[Any], Iterable[str]]]] = {
    **dict.fromkeys((cst.AssignTarget, cst.AugAssign, cst.For, cst.NamedExpr), _target),
    **dict.fromkeys((cst.FunctionDef, cst.ClassDef, cst.TypeAlias), _own_name),
    **dict.fromkeys((cst.MatchAs, cst.MatchStar, cst.MatchMapping), _captured),
    cst.AnnAssign: _annotated,
    cst.AsName: lambda node: target_names(node.name),
    cst.ImportAlias: _imported,
}
