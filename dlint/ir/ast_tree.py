"""The tree of a module as Python's own parser has it, in libcst's terms."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

import libcst as cst

from dlint.findings.places import Span
from dlint.ir import ast_expressions, ast_statements  # noqa: F401  they enter themselves
from dlint.ir.ast_nodes import Reader, Unlike, maker

_MODULE = maker(cst.Module, "body")


def quick_tree(text: str) -> tuple[cst.Module, Mapping[cst.CSTNode, Span]] | None:
    """The tree of a text and the spans of its nodes; None where libcst is to read it."""
    try:
        reader = Reader(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        made = _MODULE(reader.statements(tree.body))
    except (Unlike, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # perhaps of a newer Python
    return made, reader.spans
