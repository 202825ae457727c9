"""Compound statements: libcst -> statements that hold blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from dlint.ir.environment import State
from dlint.ir.expressions import Constant, Element, Entered, Expression, Opaque
from dlint.ir.lower_bound_names import bound_names, captured_name
from dlint.ir.lower_context import PENDING, STATEMENTS, Context, expression
from dlint.ir.lower_layouts import children
from dlint.ir.lower_statements import lower_body
from dlint.ir.lower_targets import Written, target_names, write
from dlint.ir.module import Bind, Block, Evaluate, If, Loop, Match, Statement, Try, With
from dlint.ir.spans import seek


def lower_suite(context: Context, suite: cst.CSTNode | None, block: Block) -> None:
    """Lower the body of a compound statement, an `else:` or an `elif` into `block`."""
    outer, context.block = context.block, block
    if isinstance(suite, cst.If):
        lower_if(context, suite)
    elif isinstance(suite, cst.Else | cst.Finally):
        lower_body(context, suite.body.body)
    elif isinstance(suite, cst.BaseSuite):
        lower_body(context, suite.body)
    context.block = outer


def _own(statement: Statement, blocks: Iterable[Block]) -> None:
    for block in blocks:
        block.owner = statement


@STATEMENTS.lowers("If")
def lower_if(context: Context, node: cst.If) -> None:
    then, otherwise = Block([], role="then"), Block([], role="else")
    statement = If(context.spans[node], PENDING, then, otherwise, context.block)
    _own(statement, (then, otherwise))
    context.begin(statement)
    statement.test = expression(context, node.test)
    environment = context.environment
    before = environment.fork()
    lower_suite(context, node.body, then)
    after_then, environment.state = environment.state, before
    lower_suite(context, node.orelse, otherwise)
    environment.choose(statement.span, statement.test, after_then, environment.state)


@STATEMENTS.lowers("For")
def lower_for(context: Context, node: cst.For) -> None:
    statement = _loop(context, node, node.iter)
    iterable = statement.iterable = expression(context, node.iter)
    environment = context.environment
    names = bound_names([node.body], ":=" in context.text)
    names.update(dict.fromkeys(target_names(node.target)))
    environment.enter_loop(statement.span, names)
    exhausted = environment.fork()
    written = Written(environment.bind)
    write(context, node.target, Element(context.spans[node.target], iterable), written)
    statement.definitions = tuple(written.definitions)
    _loop_body(context, node, statement, exhausted)


@STATEMENTS.lowers("While")
def lower_while(context: Context, node: cst.While) -> None:
    statement = _loop(context, node, node.test)
    environment = context.environment
    names = bound_names([node.body, node.test], ":=" in context.text)
    environment.enter_loop(statement.span, names)
    test = statement.test = expression(context, node.test)
    exhausted = environment.fork()
    if isinstance(test, Constant) and test.value:
        exhausted.reachable = False
    _loop_body(context, node, statement, exhausted)


def _loop(context: Context, node: cst.For | cst.While, last: cst.CSTNode) -> Loop:
    span = context.spans[node]
    header = (span[0], seek(context.text, ":", context.spans[last][1]) + 1)
    body, otherwise = Block([]), Block([], role="else")
    statement = Loop(span, header, None, None, (), body, otherwise, context.block)
    _own(statement, (body, otherwise))
    context.begin(statement)
    return statement


def _loop_body(
    context: Context, node: cst.For | cst.While, statement: Loop, exhausted: State
) -> None:
    lower_suite(context, node.body, statement.body)
    environment = context.environment
    loop = environment.close_loop()
    environment.state = exhausted
    lower_suite(context, node.orelse, statement.otherwise)
    if loop.breaks:
        environment.join(statement.span, [environment.state, *loop.breaks])


@STATEMENTS.lowers("With")
def lower_with(context: Context, node: cst.With) -> None:
    body = Block([])
    statement = With(context.spans[node], (), (), body, context.block)
    body.owner = statement
    context.begin(statement)
    written = Written(context.environment.bind)
    statement.items = tuple([_with_item(context, item, written) for item in node.items])
    statement.definitions = tuple(written.definitions)
    lower_suite(context, node.body, body)


def _with_item(context: Context, item: cst.WithItem, written: Written) -> Expression:
    value = expression(context, item.item)
    if item.asname is not None:
        target = item.asname.name
        write(context, target, Entered(context.spans[target], value), written)
    return value


@STATEMENTS.lowers("Try", "TryStar")
def lower_try(context: Context, node: cst.Try | cst.TryStar) -> None:
    statement = _begin_try(context, node)
    environment = context.environment
    before, first = environment.fork(), len(context.scope.definitions)
    lower_suite(context, node.body, statement.body)
    bound = context.scope.definitions[first:]
    lower_suite(context, node.orelse, statement.otherwise)
    exits = [environment.state]
    handlers: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
    for handler, block in zip(handlers, statement.handlers, strict=True):
        environment.state = environment.interrupt(statement.span, before, bound)
        _handler(context, handler, block)
        exits.append(environment.state)
    environment.join(statement.span, exits)
    lower_suite(context, node.finalbody, statement.final)


def _begin_try(context: Context, node: cst.Try | cst.TryStar) -> Try:
    body, otherwise, final = Block([]), Block([], role="else"), Block([], role="finally")
    handlers = tuple([Block([], role="handler") for _ in node.handlers])
    statement = Try(context.spans[node], body, handlers, otherwise, final, context.block)
    _own(statement, (body, *handlers, otherwise, final))
    context.begin(statement)
    return statement


def _handler(
    context: Context, node: cst.ExceptHandler | cst.ExceptStarHandler, block: Block
) -> None:
    name = node.name.name if node.name is not None else None
    if node.type is not None:
        _read_first(context, node.type, [node.type], [name] if name else [], block)
    lower_suite(context, node.body, block)
    if isinstance(name, cst.Name):
        context.environment.unbind(name.value)


def _read_first(
    context: Context,
    node: cst.CSTNode,
    read: Iterable[cst.CSTNode],
    bound: Iterable[cst.CSTNode],
    block: Block,
) -> None:
    """Start a block with what its header reads and binds: an exception type, a pattern."""
    statement = Bind(context.spans[node], PENDING, (), (), block)
    block.statements.append(statement)
    context.statement = statement
    parts = tuple([expression(context, part) for part in read])
    statement.value = Opaque(statement.span, parts)
    written = Written(context.environment.bind)
    for name in bound:
        write(context, name, Opaque(context.spans[name]), written)
    statement.definitions = tuple(written.definitions)


@STATEMENTS.lowers("Match")
def lower_match(context: Context, node: cst.Match) -> None:
    cases = tuple([Block([]) for _ in node.cases])
    statement = Match(context.spans[node], PENDING, cases, context.block)
    _own(statement, cases)
    context.begin(statement)
    statement.subject = expression(context, node.subject)
    environment = context.environment
    before, exits = environment.state, []
    for case, block in zip(node.cases, cases, strict=True):
        environment.state = State(dict(before.names), before.reachable)
        _case(context, case, block)
        exits.append(environment.state)
    if not any(_catches_all(case) for case in node.cases):
        exits.append(before)
    environment.join(statement.span, exits)


def _catches_all(case: cst.MatchCase) -> bool:
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, cst.MatchAs) and pattern.pattern is None


def _case(context: Context, node: cst.MatchCase, block: Block) -> None:
    read, bound = _pattern(node.pattern)
    if read or bound:
        _read_first(context, node.pattern, read, bound, block)
    if node.guard is not None:
        guard = Evaluate(context.spans[node.guard], PENDING, block)
        block.statements.append(guard)
        context.statement = guard
        guard.value = expression(context, node.guard)
    lower_suite(context, node.body, block)


def _pattern(pattern: cst.MatchPattern) -> tuple[list[cst.CSTNode], list[cst.CSTNode]]:
    """The expressions that a pattern reads, and the names that it binds."""
    read: list[cst.CSTNode] = []
    bound: list[cst.CSTNode] = []
    stack: list[cst.CSTNode] = [pattern]
    while stack:
        part = stack.pop()
        name = captured_name(part)
        named = part.key if isinstance(part, cst.MatchKeywordElement) else name
        if name is not None:
            bound.append(name)
        if isinstance(part, cst.BaseExpression):
            read.append(part)
        else:
            stack.extend(child for child in reversed([*children(part)]) if child is not named)
    return read, bound
