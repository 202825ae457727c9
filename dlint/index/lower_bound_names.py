"""Which names some statements bind, found before they are lowered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from dlint.index.lower_imports import imported_name
from dlint.index.lower_layouts import children
from dlint.index.lower_targets import target_names

_OPAQUE = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def bound_names(roots: Iterable[cst.CSTNode], in_expressions: bool) -> dict[str, None]:
    """The names bound below `roots`, nested scopes left out, in no order.

    `in_expressions` looks for `:=` too.
    """
    found: dict[str, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        found.update(dict.fromkeys(_bound_by(node)))
        if isinstance(node, _OPAQUE):
            continue
        if in_expressions or not isinstance(node, cst.BaseExpression):
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
        case cst.MatchAs() | cst.MatchStar() if node.name is not None:
            yield node.name.value
        case cst.MatchMapping() if node.rest is not None:
            yield node.rest.value
