"""Simple statements: libcst -> statements."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from dlint.ir.expressions import Attribute, Binary, Expression, Opaque, Reference, Subscript
from dlint.ir.lower_context import PENDING, STATEMENTS, Context, expression, optional
from dlint.ir.lower_layouts import OPERATORS
from dlint.ir.lower_targets import Written, store, write
from dlint.ir.module import Bind, Evaluate, Jump, ParameterSpec, Return


@STATEMENTS.lowers("Pass")
def lower_pass(context: Context, node: cst.Pass) -> None:
    """`pass` does nothing, so it is no statement of the index."""


@STATEMENTS.lowers("Expr")
def lower_expression_statement(context: Context, node: cst.Expr) -> None:
    statement = Evaluate(context.spans[node], PENDING, context.block)
    context.begin(statement)
    statement.value = expression(context, node.value)


@STATEMENTS.lowers("Assert")
def lower_assert(context: Context, node: cst.Assert) -> None:
    statement = Evaluate(context.spans[node], PENDING, context.block, is_assertion=True)
    context.begin(statement)
    statement.value = expression(context, node.test)
    if node.msg is not None:
        statement.value = Opaque(statement.span, (statement.value, expression(context, node.msg)))


@STATEMENTS.lowers("Del")
def lower_del(context: Context, node: cst.Del) -> None:
    statement = Evaluate(context.spans[node], PENDING, context.block)
    context.begin(statement)
    statement.value = Opaque(statement.span, (expression(context, node.target),))
    _unbind(context, node.target)


def _unbind(context: Context, target: cst.CSTNode) -> None:
    if isinstance(target, cst.Name):
        context.environment.unbind(target.value)
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            _unbind(context, element.value)


@STATEMENTS.lowers("Assign")
def lower_assign(context: Context, node: cst.Assign) -> None:
    _bind(context, node, [target.target for target in node.targets], node.value)


@STATEMENTS.lowers("TypeAlias")
def lower_type_alias(context: Context, node: cst.TypeAlias) -> None:
    _bind(context, node, [node.name], node.value)


@STATEMENTS.lowers("AnnAssign")
def lower_annotated(context: Context, node: cst.AnnAssign) -> None:
    """Without a value it binds nothing; in a class body it declares a field."""
    default = None
    if node.value is not None:
        default = _bind(context, node, [node.target], node.value)
    if context.scope.kind == "class" and isinstance(node.target, cst.Name):
        assert context.scope.owner is not None
        annotation = expression(context, node.annotation.annotation)
        field = ParameterSpec(node.target.value, "either", default, annotation)
        context.scope.owner.fields += (field,)


def _bind(
    context: Context, node: cst.CSTNode, targets: Sequence[cst.CSTNode], value: cst.CSTNode
) -> Expression:
    statement = Bind(context.spans[node], PENDING, (), (), context.block)
    context.begin(statement)
    statement.value = expression(context, value)
    written = Written(context.environment.bind)
    for target in targets:
        write(context, target, statement.value, written)
    statement.definitions, statement.stores = tuple(written.definitions), tuple(written.stores)
    return statement.value


@STATEMENTS.lowers("AugAssign")
def lower_augmented(context: Context, node: cst.AugAssign) -> None:
    statement = Bind(context.spans[node], PENDING, (), (), context.block)
    context.begin(statement)
    old = expression(context, node.target)
    operator = OPERATORS[type(node.operator).__name__.removesuffix("Assign")]
    value = Binary(statement.span, operator, old, expression(context, node.value))
    statement.value = value
    if isinstance(old, Reference):
        statement.definitions = (context.environment.bind(old.span, old.name, value),)
    elif isinstance(old, Attribute | Subscript):
        statement.stores = (store(context, old, value),)


@STATEMENTS.lowers("Return")
def lower_return(context: Context, node: cst.Return) -> None:
    statement = Return(context.spans[node], None, context.block)
    context.begin(statement)
    statement.value = optional(context, node.value)
    if statement.value is not None:
        context.scope.returns.append(statement.value)
    context.environment.jump(context.environment.returns)


@STATEMENTS.lowers("Raise")
def lower_raise(context: Context, node: cst.Raise) -> None:
    statement = Jump(context.spans[node], "raise", None, context.block)
    context.begin(statement)
    statement.value = optional(context, node.exc)
    if node.cause is not None and statement.value is not None:
        cause = expression(context, node.cause.item)
        statement.value = Opaque(statement.span, (statement.value, cause))
    context.environment.jump([])


@STATEMENTS.lowers("Break")
def lower_break(context: Context, node: cst.Break) -> None:
    context.begin(Jump(context.spans[node], "break", None, context.block))
    loops = context.environment.loops
    context.environment.jump(loops[-1].breaks if loops else [])


@STATEMENTS.lowers("Continue")
def lower_continue(context: Context, node: cst.Continue) -> None:
    context.begin(Jump(context.spans[node], "continue", None, context.block))
    loops = context.environment.loops
    context.environment.jump(loops[-1].continues if loops else [])


@STATEMENTS.lowers("Global", "Nonlocal")
def lower_declaration(context: Context, node: cst.Global | cst.Nonlocal) -> None:
    names = frozenset(item.name.value for item in node.names)
    scope = context.scope
    if scope.kind == "module":
        return
    if isinstance(node, cst.Global):
        scope.globals |= names
    else:
        scope.nonlocals |= names
    context.environment.outer |= names


@STATEMENTS.lowers("SimpleStatementLine")
def lower_line(context: Context, node: cst.SimpleStatementLine) -> None:
    lower_body(context, node.body)


def lower_body(context: Context, nodes: Sequence[cst.CSTNode]) -> None:
    """Lower statements in order into the current block."""
    for node in nodes:
        STATEMENTS[type(node)](context, node)
