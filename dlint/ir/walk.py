"""Walks over the index: expressions inside expressions, statements inside blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dlint.ir import expressions as ir
from dlint.ir.looked_at import ByKind, told_by_code
from dlint.ir.module import (
    Bind,
    Block,
    Define,
    Evaluate,
    If,
    Jump,
    Loop,
    Match,
    Return,
    Scope,
    Statement,
    Try,
    With,
)
from dlint.ir.remembering import remembered

Expression = ir.Expression

_CHILDREN: dict[type, Callable[[Any], tuple[Expression | None, ...]]] = ByKind(
    {
        ir.Attribute: lambda e: (e.value,),
        ir.Subscript: lambda e: (e.value, e.index),
        ir.Slice: lambda e: e.bounds,
        ir.Call: lambda e: (e.function, *(a.value for a in e.arguments)),
        ir.Sequence: lambda e: e.items,
        ir.Starred: lambda e: (e.value,),
        ir.Mapping: lambda e: tuple(part for item in e.items for part in item),
        ir.Conditional: lambda e: (e.test, e.then, e.otherwise),
        ir.Join: lambda e: e.alternatives,
        ir.Boolean: lambda e: (e.left, e.right),
        ir.Unary: lambda e: (e.operand,),
        ir.Binary: lambda e: (e.left, e.right),
        ir.Comparison: lambda e: (e.left, e.right),
        ir.Comprehension: lambda e: (*e.iterables, *e.conditions, e.key, e.element),
        ir.Element: lambda e: (e.iterable,),
        ir.Item: lambda e: (e.value,),
        ir.Entered: lambda e: (e.value,),
        ir.Format: lambda e: e.parts,
        ir.Await: lambda e: (e.value,),
        ir.Yield: lambda e: (e.value,),
        ir.Opaque: lambda e: e.children,
    }
)


def children(expression: Expression) -> Iterator[Expression]:
    """The direct parts of an expression; references are not followed, scopes not entered."""
    parts = _CHILDREN[type(expression)]
    for part in () if parts is None else parts(expression):
        if part is not None:
            yield part


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all parts of it, each before its own parts."""
    stack = [expression]
    while stack:
        current = stack.pop()
        yield current
        parts = _CHILDREN[type(current)]
        if parts is not None:
            stack += [part for part in parts(current)[::-1] if part is not None]


_BLOCKS: dict[type, Callable[[Any], tuple[Block, ...]]] = ByKind(
    {
        If: lambda s: (s.then, s.otherwise),
        Loop: lambda s: (s.body, s.otherwise),
        With: lambda s: (s.body,),
        Try: lambda s: (s.body, *s.handlers, s.otherwise, s.final),
        Match: lambda s: s.cases,
    }
)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks that stand directly in a statement, in order."""
    parts = _BLOCKS[type(statement)]
    return () if parts is None else parts(statement)


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block, each before those of its own blocks; scopes not entered."""
    waiting = [iter(block.statements)]
    while waiting:
        statement = next(waiting[-1], None)
        if statement is None:
            waiting.pop()
            continue
        yield statement
        inside = _BLOCKS[type(statement)]
        if inside is not None:
            waiting += [iter(inner.statements) for inner in reversed(inside(statement))]


def expressions(statement: Statement) -> Iterator[Expression]:
    """The expressions that a statement itself evaluates, those of its blocks left out.

    Of `def` and `class` these are decorators, bases, defaults and annotations.
    """
    parts = _EXPRESSIONS[type(statement)]
    for part in () if parts is None else parts(statement):
        if part is not None:
            yield part


def parts(block: Block) -> Iterator[Expression]:
    """Every expression that a block evaluates, nested blocks included, part by part."""
    for statement in statements(block):
        for expression in expressions(statement):
            yield from walk(expression)


def parts_with_lambdas(block: Block) -> Iterator[Expression]:
    """The same, and what the lambdas evaluate that it makes."""
    for part in parts(block):
        yield part
        if isinstance(part, ir.FunctionValue):
            yield from parts(part.function.body)


def _bound(statement: Bind) -> Iterator[Expression]:
    """The target of an augmented assignment is a part of its value."""
    value = statement.value
    yield value
    old = value.left if isinstance(value, ir.Binary) else None
    yield from (store.target for store in statement.stores if store.target is not old)


def _defined(statement: Define) -> Iterator[Expression | None]:
    for definition in statement.definitions:
        yield from _defining(definition.value)


def _defining(value: Expression) -> Iterator[Expression | None]:
    if isinstance(value, ir.FunctionValue):
        yield from value.function.decorators
        for parameter in value.function.parameters:
            yield parameter.annotation
            yield parameter.default
    elif isinstance(value, ir.ClassValue):
        yield from value.cls.decorators
        yield from value.cls.bases


_EXPRESSIONS: dict[type, Callable[[Any], Iterable[Expression | None]]] = ByKind(
    {
        Evaluate: lambda s: (s.value,),
        Bind: _bound,
        Return: lambda s: (s.value,),
        Jump: lambda s: (s.value,),
        If: lambda s: (s.test,),
        Loop: lambda s: (s.iterable, s.test),
        With: lambda s: s.items,
        Match: lambda s: (s.subject,),
        Define: _defined,
    }
)


def ancestors(statement: Statement) -> Iterator[Statement]:
    """The statements around a statement, from the inside out, within its scope."""
    owner = statement.block.owner
    while owner is not None:
        yield owner
        owner = owner.block.owner


def enclosing_loops(statement: Statement) -> Iterator[Loop]:
    """The loops whose body runs `statement`, from the inside out; an `else:` is no body."""
    block = statement.block
    while (owner := block.owner) is not None:
        if isinstance(owner, Loop) and block is owner.body:
            yield owner
        block = owner.block


def conditions(statement: Statement) -> Iterator[If]:
    """The `if`s that a statement stands behind, one directly in the other, from the inside out."""
    while isinstance(owner := statement.block.owner, If) and statement.block is owner.then:
        yield (statement := owner)


def tests(statement: Statement) -> Iterator[tuple[Expression, bool]]:
    """The tests of the `if`s around a statement, each with the outcome that leads there."""
    block: Block = statement.block
    while (owner := block.owner) is not None:
        if isinstance(owner, If):
            yield owner.test, block is owner.then
        block = owner.block


def is_within(scope: Scope, outer: Scope) -> bool:
    """Whether a scope is another one of its module, or lies in it."""
    return outer.span[0] <= scope.span[0] and scope.span[1] <= outer.span[1]


def first_around(scopes: Iterable[Scope], start: int) -> Scope | None:
    """The first of some scopes of a module in which an offset lies; None where none does."""
    return next((s for s in scopes if s.span[0] <= start < s.span[1]), None)


def inner_scopes(scope: Scope) -> Iterator[Scope]:
    """The functions and classes that are defined in a scope itself."""
    return (inner for inner in scope.module.scopes if inner.parent is scope)


def scopes_within(scope: Scope) -> Iterator[Scope]:
    """A scope, and those that lie in it."""
    return (inner for inner in scope.module.scopes if is_within(inner, scope))


def outermost(scope: Scope) -> Scope:
    """The function of a module, or the class, in which a scope lies; a module itself."""
    while scope.parent is not None and scope.parent.kind != "module":
        scope = scope.parent
    return scope


@told_by_code
def lasting_of(scope: Scope, name: str) -> list[ir.Definition]:
    """Those of a name."""
    return _lasting(scope).get(name, [])


@remembered(4096)
def _lasting(scope: Scope) -> dict[str, list[ir.Definition]]:
    found: dict[str, list[ir.Definition]] = {}
    for definition in lasting(scope):
        found.setdefault(definition.name, []).append(definition)
    return found


@told_by_code
def bindings_of(scope: Scope, name: str) -> list[ir.Definition]:
    """All definitions of a name in a scope, wherever they stand."""
    return list(scope.bindings(name))


def binding_scope(scope: Scope, name: str) -> Scope | None:
    """The scope that gives a name which code of `scope` reads its meaning: that, or one around it.

    None where no scope of the module binds it.
    """
    around: Scope | None = scope
    while around is not None:
        if bindings_of(around, name) or any(p.name == name for p in around.parameters):
            return around
        around = around.parent
    return None


@told_by_code
def calls_in(scope: Scope, *names: str) -> list[ir.Call]:
    """The calls of a scope whose callees end in one of these names, in order."""
    return [call for call in scope.calls if call.name in names]


@told_by_code
def calls_with_arguments(scope: Scope) -> list[ir.Call]:
    """The calls of a scope that are given something."""
    return [call for call in scope.calls if call.arguments]


def lasting(scope: Scope) -> list[ir.Definition]:
    """The definitions of a scope; of a module those that a function may see when it runs later.

    What a module binds again, whatever happens, is left out.
    """
    if scope.kind != "module":
        return scope.definitions
    bound = (s.definitions for s in scope.body.statements if isinstance(s, Bind | Define))
    last = {definition.name: definition for definitions in bound for definition in definitions}
    return [d for d in scope.definitions if d.name not in last or d.span >= last[d.name].span]
