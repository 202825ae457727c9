"""Which names some statements bind, found before they are lowered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from dlint.index.lower_imports import imported_name
from dlint.index.lower_layouts import children
from dlint.index.lower_targets import target_names

_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def bound_names(roots: Iterable[cst.CSTNode], in_expressions: bool) -> dict[str, None]:
    """The names bound below `roots`, nested scopes left out, in no order.

    `in_expressions` looks for `:=` too.
    """
    found: dict[str, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        found.update(dict.fromkeys(_bound_by(node)))
        inside = in_expressions or not isinstance(node, cst.BaseExpression)
        if inside and not isinstance(node, _SCOPES):
            stack.extend(children(node))
    return found


def _bound_by(node: cst.CSTNode) -> Iterator[str]:
    match node:
        case cst.AssignTarget() | cst.AugAssign() | cst.For() | cst.NamedExpr():
            yield from target_names(node.target)
        case cst.AnnAssign() if node.value is not None:
            yield from target_names(node.target)
        case cst.FunctionDef() | cst.ClassDef():
            yield node.name.value
        case cst.AsName():
            yield from target_names(node.name)
        case cst.ImportAlias() if node.asname is None:
            yield imported_name(node)
        case cst.MatchAs() | cst.MatchStar() | cst.MatchMapping():
            name = captured_name(node)
            yield from () if name is None else (name.value,)


def captured_name(pattern: cst.CSTNode) -> cst.Name | None:
    """The name that a pattern itself binds, its parts left out."""
    if isinstance(pattern, cst.MatchAs | cst.MatchStar):
        return pattern.name
    return pattern.rest if isinstance(pattern, cst.MatchMapping) else None
