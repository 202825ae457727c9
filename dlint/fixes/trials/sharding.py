"""The trial edit for a stream that every worker yields whole: each takes every n-th item."""

from __future__ import annotations

import ast

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix
from dlint.findings.operations import ReplaceExpression
from dlint.fixes.trials.syntax import place
from dlint.workspace.source import Source

TITLE = "Let each worker take every n-th item"
_MINE = (
    "(worker := torch.utils.data.get_worker_info()) is None "
    "or number % worker.num_workers == worker.id"
)


def sharded(diagnostic: Diagnostic, source: Source) -> Fix | None:
    """The edit for a finding of `iterable-without-worker-sharding`, where one loop yields all."""
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError):
        return None
    row, _ = source.position(diagnostic.place.start)
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef) and _begins(cls) <= row <= cls.body[0].lineno:
            loop = _loop(cls)
            if loop is None:
                return None
            text = source.text[slice(*place(loop.iter, source)[1:])]
            items = f"(item for number, item in enumerate({text}) if {_MINE})"
            operation = ReplaceExpression(place(loop.iter, source), items)
            return Fix(Applicability.TRIAL, TITLE, (operation,))
    return None


def _begins(cls: ast.ClassDef) -> int:
    return min([cls.lineno, *(node.lineno for node in cls.decorator_list)])


def _loop(cls: ast.ClassDef) -> ast.For | None:
    """The outermost loop of `__iter__` that holds its every `yield`."""
    for method in cls.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__iter__":
            loops = [n for n in ast.walk(method) if isinstance(n, ast.For)]
            outer = next(iter(loops), None)
            if outer is None or not _yields(outer) or _yields(outer) != _yields(method):
                return None
            return outer
    return None


def _yields(node: ast.AST) -> int:
    return sum(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node))
