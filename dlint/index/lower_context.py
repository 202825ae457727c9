"""Where lowering stands, and the table that says which function lowers which kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import libcst as cst

from dlint.index.environment import Environment
from dlint.index.expressions import Expression, Opaque
from dlint.index.model import Block, Evaluate, ModuleIndex, Scope, Statement
from dlint.places import Span

PENDING = Opaque((0, 0))
"""Stands in a statement until its expression is lowered."""


@dataclass(slots=True)
class Context:
    """Where lowering stands in one scope."""

    module: ModuleIndex
    text: str
    spans: Mapping[cst.CSTNode, Span]
    scope: Scope
    environment: Environment
    block: Block
    statement: Statement

    def begin(self, statement: Statement) -> None:
        """Put `statement` into the current block; expressions belong to it from here on."""
        self.block.statements.append(statement)
        self.statement = statement

    def enter(self, scope: Scope) -> Context:
        """The context of a scope that starts inside this one."""
        self.module.scopes.append(scope)
        environment = Environment(scope)
        return Context(
            self.module,
            self.text,
            self.spans,
            scope,
            environment,
            scope.body,
            self.statement,
        )


Expressions = Callable[[Context, Any], Expression]
Statements = Callable[[Context, Any], None]
E_ = TypeVar("E_", bound=Expressions)
S_ = TypeVar("S_", bound=Statements)


def _opaque(context: Context, node: cst.CSTNode) -> Expression:
    return Opaque(context.spans[node])


def _unknown(context: Context, node: cst.CSTNode) -> None:
    opaque = Opaque(context.spans[node])
    context.block.statements.append(Evaluate(opaque.span, opaque, context.block))


class _ExpressionTable(dict[type, Expressions]):
    def __missing__(self, kind: type) -> Expressions:
        return _opaque


class _StatementTable(dict[type, Statements]):
    def __missing__(self, kind: type) -> Statements:
        return _unknown


EXPRESSIONS: dict[type, Expressions] = _ExpressionTable()
STATEMENTS: dict[type, Statements] = _StatementTable()


def lowers_expression(*kinds: str) -> Callable[[E_], E_]:
    """Enter a function as the one that lowers these libcst nodes, where this libcst has them."""

    def enter(function: E_) -> E_:
        for kind in kinds:
            if hasattr(cst, kind):
                EXPRESSIONS[getattr(cst, kind)] = function
        return function

    return enter


def lowers_statement(*kinds: str) -> Callable[[S_], S_]:
    """Enter a function as the one that lowers these libcst nodes, where this libcst has them."""

    def enter(function: S_) -> S_:
        for kind in kinds:
            if hasattr(cst, kind):
                STATEMENTS[getattr(cst, kind)] = function
        return function

    return enter


def expression(context: Context, node: cst.CSTNode) -> Expression:
    """Lower any expression."""
    return EXPRESSIONS[type(node)](context, node)


def optional(context: Context, node: cst.CSTNode | None) -> Expression | None:
    """Lower an expression that may be left out."""
    return None if node is None else EXPRESSIONS[type(node)](context, node)
