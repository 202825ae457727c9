"""Which names a module binds, where, and to what: enough to know that a name may be written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_Scope = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.Lambda
    | ast.ClassDef
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds `name`; `row` is the last row of the statement or expression."""

    name: str
    row: int
    module: str | None = None
    """The module that an `import` binds it to; empty for a `from … import`."""
    direct: bool = False
    """Whether the statement stands directly in the scope's body, under no condition."""
    runtime: bool = True
    """False under `if TYPE_CHECKING`."""
    is_none: bool = False
    """`name = None`, the usual stand-in for a module that could not be imported."""


@lru_cache(maxsize=256)
def bindings(scope: ast.Module | _Scope) -> tuple[Binding, ...]:
    """What a scope binds itself; nested functions and classes bind for themselves."""
    return tuple(_own(scope))


def _own(scope: ast.Module | _Scope) -> Iterator[Binding]:
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        for argument in ast.walk(scope.args):
            if isinstance(argument, ast.arg):
                yield Binding(argument.arg, argument.lineno)
    if isinstance(scope, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for statement in scope.body:
            yield from _bound(statement, direct=True, runtime=True)
    else:
        for node in ast.iter_child_nodes(scope):
            yield from _bound(node, direct=False, runtime=True)


def _bound(node: ast.AST, *, direct: bool, runtime: bool) -> Iterator[Binding]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _imported(node, direct=direct, runtime=runtime)
        return
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
            yield Binding(name, node.end_lineno or 0, is_none=True)
            return
    yield from _named(node)
    if isinstance(node, _Scope):
        return
    for child in ast.iter_child_nodes(node):
        typing_only = isinstance(node, ast.If) and child in node.body and _is_typing(node.test)
        yield from _bound(child, direct=False, runtime=runtime and not typing_only)


def _imported(
    node: ast.Import | ast.ImportFrom, *, direct: bool, runtime: bool
) -> Iterator[Binding]:
    for alias in node.names:
        top = alias.name.partition(".")[0]
        module = (alias.name if alias.asname else top) if isinstance(node, ast.Import) else ""
        yield Binding(alias.asname or top, node.end_lineno or 0, module, direct, runtime)


def _named(node: ast.AST) -> Iterator[Binding]:
    """The names that one node binds other than by import."""
    row = getattr(node, "end_lineno", None) or 0
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield Binding(name, row)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield Binding(name, row)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield Binding(name, row)
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield Binding(name, row)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from (Binding(name, row) for name in names)


def _is_typing(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


@lru_cache(maxsize=16)
def all_bindings(tree: ast.Module) -> tuple[Binding, ...]:
    """What the module and every scope in it bind."""
    inner = [node for node in ast.walk(tree) if isinstance(node, _Scope)]
    return tuple(binding for scope in (tree, *inner) for binding in bindings(scope))


def scopes_around(tree: ast.Module, row: int) -> list[_Scope]:
    """The scopes whose rows hold `row`, outermost first; one too many on a shared row."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Scope) and node.lineno <= row <= (node.end_lineno or row)
    ]
