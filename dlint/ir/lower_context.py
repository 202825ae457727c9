"""Where lowering stands, and the table that says which function lowers which kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import libcst as cst

from dlint.findings.places import Span
from dlint.ir.environment import Environment
from dlint.ir.expressions import Expression, Opaque
from dlint.ir.module import Block, ModuleIndex, Scope, Statement

N = TypeVar("N")
T = TypeVar("T")

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
        block = self.block
        block.statements.append(statement)
        self.statement = statement

    def enter(self, scope: Scope) -> Context:
        """The context of a scope that starts inside this one."""
        self.module.scopes.append(scope)
        environment, block = Environment(scope), scope.body
        return Context(
            self.module, self.text, self.spans, scope, environment, block, self.statement
        )


class Table(dict[type, Callable[[Context, Any], T]]):
    """The functions that lower each class of libcst nodes."""

    def lowers(
        self, *kinds: str
    ) -> Callable[[Callable[[Context, N], T]], Callable[[Context, N], T]]:
        """Enter a function for some classes, as far as this libcst has them."""

        def enter(function: Callable[[Context, N], T]) -> Callable[[Context, N], T]:
            found = (getattr(cst, kind, None) for kind in kinds)
            self.update((kind, function) for kind in found if kind is not None)
            return function

        return enter


EXPRESSIONS: Table[Expression] = Table()
STATEMENTS: Table[None] = Table()


def expression(context: Context, node: cst.CSTNode) -> Expression:
    """Lower any expression."""
    return EXPRESSIONS[type(node)](context, node)


def optional(context: Context, node: cst.CSTNode | None) -> Expression | None:
    """Lower an expression that may be left out."""
    return None if node is None else EXPRESSIONS[type(node)](context, node)
