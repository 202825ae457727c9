"""Compound statements: libcst -> statements that hold blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import libcst as cst

from dlint.index.environment import State
from dlint.index.expressions import Constant, Element, Entered, Expression, Opaque
from dlint.index.lower_bound_names import bound_names
from dlint.index.lower_context import PENDING, Context, expression, lowers_statement
from dlint.index.lower_layouts import children
from dlint.index.lower_statements import lower_body
from dlint.index.lower_targets import Written, target_names, write
from dlint.index.model import Bind, Block, Evaluate, If, Loop, Match, Statement, Try, With

_TO_COLON = re.compile(r"(?:[^:#]|#[^\r\n]*)*:")


def header_end(text: str, position: int) -> int:
    """The offset behind the first colon from `position` on that stands in no comment."""
    match = _TO_COLON.match(text, position)
    return match.end() if match else position


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


@lowers_statement("If")
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


@lowers_statement("For")
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


@lowers_statement("While")
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
    header = (span[0], header_end(context.text, context.spans[last][1]))
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


@lowers_statement("With")
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


@lowers_statement("Try", "TryStar")
def lower_try(context: Context, node: cst.Try | cst.TryStar) -> None:
    body, otherwise, final = Block([]), Block([], role="else"), Block([], role="finally")
    clauses: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
    handlers = tuple([Block([], role="handler") for _ in clauses])
    statement = Try(context.spans[node], body, handlers, otherwise, final, context.block)
    _own(statement, (body, *handlers, otherwise, final))
    context.begin(statement)
    environment = context.environment
    before, first = environment.fork(), len(context.scope.definitions)
    lower_suite(context, node.body, body)
    bound = context.scope.definitions[first:]
    lower_suite(context, node.orelse, otherwise)
    exits = [environment.state]
    for handler, block in zip(clauses, handlers, strict=True):
        environment.state = environment.interrupt(statement.span, before, bound)
        _handler(context, handler, block)
        exits.append(environment.state)
    environment.join(statement.span, exits)
    lower_suite(context, node.finalbody, final)


def _handler(
    context: Context, node: cst.ExceptHandler | cst.ExceptStarHandler, block: Block
) -> None:
    """The exception type is read, and its name bound, by a first statement of the block."""
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
    """Start `block` with a statement for what a handler or a case reads and binds."""
    statement = Bind(context.spans[node], PENDING, (), (), block)
    block.statements.append(statement)
    context.statement = statement
    children = tuple([expression(context, part) for part in read])
    statement.value = Opaque(statement.span, children)
    written = Written(context.environment.bind)
    for name in bound:
        write(context, name, Opaque(context.spans[name], ()), written)
    statement.definitions = tuple(written.definitions)


@lowers_statement("Match")
def lower_match(context: Context, node: cst.Match) -> None:
    cases = tuple([Block([], role="body") for _ in node.cases])
    statement = Match(context.spans[node], PENDING, cases, context.block)
    _own(statement, cases)
    context.begin(statement)
    statement.subject = expression(context, node.subject)
    environment = context.environment
    before, exits = environment.fork(), []
    for case, block in zip(node.cases, cases, strict=True):
        environment.state = State(dict(before.names), before.reachable)
        _case(context, case, block)
        exits.append(environment.state)
    if not (node.cases and _catches_all(node.cases[-1])):
        exits.append(before)
    environment.join(statement.span, exits)


def _catches_all(case: cst.MatchCase) -> bool:
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, cst.MatchAs) and pattern.pattern is None


def _case(context: Context, node: cst.MatchCase, block: Block) -> None:
    read: list[cst.CSTNode] = []
    bound: list[cst.CSTNode] = []
    stack: list[cst.CSTNode] = [node.pattern]
    while stack:
        part = stack.pop()
        if isinstance(part, cst.BaseExpression):
            read.append(part)
            continue
        name = getattr(
            part, "name" if isinstance(part, cst.MatchAs | cst.MatchStar) else "rest", None
        )
        if name is not None:
            bound.append(name)
        if not isinstance(part, cst.MatchSingleton):
            stack.extend(child for child in children(part) if child is not name)
    if read or bound:
        _read_first(context, node.pattern, reversed(read), reversed(bound), block)
    if node.guard is not None:
        guard = Evaluate(context.spans[node.guard], PENDING, block)
        block.statements.append(guard)
        context.statement = guard
        guard.value = expression(context, node.guard)
    lower_suite(context, node.body, block)
