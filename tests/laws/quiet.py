"""Which expressions may be evaluated earlier or later without anybody noticing."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst


def is_plain(node: cst.CSTNode) -> bool:
    """Names, constants, attributes, and tuples, lists and dicts of these."""
    if isinstance(node, cst.Name | cst.BaseNumber | cst.SimpleString):
        return True
    if isinstance(node, cst.Attribute):
        return is_plain(node.value)
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.expression, cst.BaseNumber)
    return False


def is_constant(node: cst.CSTNode) -> bool:
    """Whether it means the same wherever it stands."""
    constants = ("None", "True", "False")
    return isinstance(node, cst.BaseNumber | cst.SimpleString) or (
        isinstance(node, cst.Name) and node.value in constants
    )


def may_swap(nodes: Iterable[cst.CSTNode]) -> bool:
    """Whether the order in which these are evaluated does not matter."""
    loud = [node for node in nodes if not is_plain(node)]
    return not loud or (len(loud) == 1 and not has_any(loud[0], cst.NamedExpr, cst.Await))


def has_any(node: cst.CSTNode, *kinds: type[cst.CSTNode]) -> bool:
    """Whether a node of these kinds is in it."""
    found = False

    class Visitor(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            nonlocal found
            found = found or isinstance(node, kinds)
            return not found

    node.visit(Visitor())
    return found


def has_comment(node: cst.CSTNode) -> bool:
    """Whether a comment stands within."""
    return has_any(node, cst.Comment)


def is_silenced(statement: cst.BaseStatement) -> bool:
    """Whether a comment above a statement silences what is said of it, and of no other line."""
    lines: Iterable[cst.EmptyLine] = getattr(statement, "leading_lines", ())
    return any("dlint:" in line.comment.value for line in lines if line.comment)


def simple_call(node: cst.CSTNode) -> cst.Call | None:
    """The node if it is a call of a plain function, with no comment in it."""
    if isinstance(node, cst.Call) and is_plain(node.func) and not has_comment(node):
        return node
    return None
