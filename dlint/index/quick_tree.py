"""The tree of a module by Python's own parser, as the nodes that libcst would make of it.

Python reads a text ten times as fast as libcst, but by the grammar of its own version, and without
its tokens. What it cannot tell (a match statement, the text of a newer Python) is left to libcst.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import libcst as cst

from dlint.index.quick_expressions import OPERATORS, Expressions
from dlint.index.quick_text import Unsuited, made
from dlint.index.spans import seek
from dlint.places import Span

_HEAD: Final = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+")
_ASYNC: Final = made(cst.Asynchronous)
_AUGMENTED: Final[dict[type, cst.CSTNode]] = {
    kind: made(getattr(cst, name))
    for kind, operator in OPERATORS.items()
    if hasattr(cst, name := f"{type(operator).__name__}Assign")
}


def tree(text: str) -> tuple[cst.Module, dict[cst.CSTNode, Span]]:
    """The module of a text and the spans that lowering asks for.

    Raises Unsuited, or whatever Python's parser raises.
    """
    if ":=" in text:
        raise Unsuited  # the names are looked for in whole trees, which these are not
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = ast.parse(text)
    make = Expressions(text)
    return made(cst.Module, body=_statements(make, parsed.body)), make.spans


def _statements(make: Expressions, nodes: Iterable[ast.stmt]) -> list[cst.CSTNode]:
    found: list[cst.CSTNode] = []
    for node in nodes:
        maker = _MAKERS.get(type(node))
        if maker is None:
            raise Unsuited
        span = _span(make, node)
        statement = maker(make, node, span)
        make.spans.setdefault(statement, span)
        found.append(statement)
    return found


def _span(make: Expressions, node: ast.stmt) -> Span:
    """Where a statement stands; a semicolon behind the last one in it is no part."""
    start, end = make.places.span(node)
    if make.text[end - 1] == ";":
        end = start + len(make.text[start:end].rstrip("; \t"))
    return start, end


def _block(make: Expressions, nodes: Iterable[ast.stmt]) -> cst.IndentedBlock:
    return made(cst.IndentedBlock, body=_statements(make, nodes))


def _else(make: Expressions, nodes: Sequence[ast.stmt]) -> cst.Else | None:
    return made(cst.Else, body=_block(make, nodes)) if nodes else None


def _function(make: Expressions, node: ast.FunctionDef, span: Span) -> cst.CSTNode:
    if getattr(node, "type_params", ()):
        raise Unsuited
    decorators = _decorators(make, node)
    name = _own_name(make, node, span)
    params = make.parameters(node.args)
    is_async = isinstance(node, ast.AsyncFunctionDef)
    function = made(
        cst.FunctionDef,
        decorators=decorators,
        name=name,
        params=params,
        asynchronous=_ASYNC if is_async else None,
        body=_block(make, node.body),
    )
    make.spans[function] = _decorated(make, decorators, span)
    return function


def _class(make: Expressions, node: ast.ClassDef, span: Span) -> cst.CSTNode:
    if getattr(node, "type_params", ()):
        raise Unsuited
    decorators = _decorators(make, node)
    name = _own_name(make, node, span)
    given: list[cst.Arg] = []
    if node.bases or node.keywords:
        opening = seek(make.text, "(", make.spans[name][1])
        given = make.arguments(node.bases, node.keywords, opening)
    plain = [one for one in given if one.keyword is None and one.star != "**"]
    made_class = made(
        cst.ClassDef,
        decorators=decorators,
        name=name,
        type_parameters=None,
        bases=plain,
        keywords=[one for one in given if one not in plain],
        body=_block(make, node.body),
    )
    make.spans[made_class] = _decorated(make, decorators, span)
    return made_class


def _own_name(make: Expressions, node: ast.FunctionDef | ast.ClassDef, span: Span) -> cst.Name:
    head = _HEAD.match(make.text, span[0])
    if head is None:
        raise Unsuited
    return make.name(node.name, head.end())


def _decorators(make: Expressions, node: ast.FunctionDef | ast.ClassDef) -> list[cst.Decorator]:
    found: list[cst.Decorator] = []
    for part in node.decorator_list:
        span = make.places.span(part)
        decorator = made(cst.Decorator, decorator=make.of(part))
        start = make.text.rindex("@", 0, span[0])
        make.spans[decorator] = (start, make.places.enclosed(start + 1, span)[1])
        found.append(decorator)
    return found


def _decorated(make: Expressions, decorators: list[cst.Decorator], span: Span) -> Span:
    return (make.spans[decorators[0]][0], span[1]) if decorators else span


def _if(make: Expressions, node: ast.If, _: Span) -> cst.CSTNode:
    test, body = make.of(node.test), _block(make, node.body)
    orelse: cst.CSTNode | None = None
    only = node.orelse[0] if len(node.orelse) == 1 else None
    if isinstance(only, ast.If):
        span = _span(make, only)
        if make.text.startswith("elif", span[0]):
            orelse = _if(make, only, span)
            make.spans[orelse] = span
    if orelse is None:
        orelse = _else(make, node.orelse)
    return made(cst.If, test=test, body=body, orelse=orelse)


def _for(make: Expressions, node: ast.For, _: Span) -> cst.CSTNode:
    return made(
        cst.For,
        asynchronous=_ASYNC if isinstance(node, ast.AsyncFor) else None,
        target=make.of(node.target),
        iter=make.of(node.iter),
        body=_block(make, node.body),
        orelse=_else(make, node.orelse),
    )


def _while(make: Expressions, node: ast.While, _: Span) -> cst.CSTNode:
    body = _block(make, node.body)
    return made(cst.While, test=make.of(node.test), body=body, orelse=_else(make, node.orelse))


def _with(make: Expressions, node: ast.With, _: Span) -> cst.CSTNode:
    return made(
        cst.With,
        asynchronous=_ASYNC if isinstance(node, ast.AsyncWith) else None,
        lpar=None,
        items=[_item(make, item) for item in node.items],
        rpar=None,
        body=_block(make, node.body),
    )


def _item(make: Expressions, node: ast.withitem) -> cst.WithItem:
    value, target = make.of(node.context_expr), node.optional_vars
    name = None if target is None else made(cst.AsName, name=make.of(target))
    return made(cst.WithItem, item=value, asname=name)


def _try(make: Expressions, node: ast.Try, _: Span) -> cst.CSTNode:
    kind = cst.Try if isinstance(node, ast.Try) else cst.TryStar
    final = node.finalbody
    return made(
        kind,
        body=_block(make, node.body),
        handlers=[_handler(make, handler) for handler in node.handlers],
        orelse=_else(make, node.orelse),
        finalbody=made(cst.Finally, body=_block(make, final)) if final else None,
    )


def _handler(make: Expressions, node: ast.ExceptHandler) -> cst.CSTNode:
    kind, name = make.optional(node.type), None
    if node.name is not None:
        assert node.type is not None
        behind = seek(make.text, "as", make.places.span(node.type)[1]) + 2
        start = seek(make.text, node.name, behind)
        name = made(cst.AsName, name=make.name(node.name, start))
    return made(cst.ExceptHandler, type=kind, name=name, body=_block(make, node.body))


def _expression(make: Expressions, node: ast.Expr, _: Span) -> cst.CSTNode:
    return made(cst.Expr, value=make.of(node.value))


def _assign(make: Expressions, node: ast.Assign, _: Span) -> cst.CSTNode:
    targets = [made(cst.AssignTarget, target=make.of(target)) for target in node.targets]
    return made(cst.Assign, targets=targets, value=make.of(node.value))


def _annotated(make: Expressions, node: ast.AnnAssign, _: Span) -> cst.CSTNode:
    return made(
        cst.AnnAssign,
        target=make.of(node.target),
        annotation=make.annotation(node.annotation),
        value=make.optional(node.value),
    )


def _augmented(make: Expressions, node: ast.AugAssign, _: Span) -> cst.CSTNode:
    target, operator = make.of(node.target), _AUGMENTED[type(node.op)]
    return made(cst.AugAssign, target=target, operator=operator, value=make.of(node.value))


def _return(make: Expressions, node: ast.Return, _: Span) -> cst.CSTNode:
    return made(cst.Return, value=make.optional(node.value))


def _raise(make: Expressions, node: ast.Raise, _: Span) -> cst.CSTNode:
    cause = None if node.cause is None else made(cst.From, item=make.of(node.cause))
    return made(cst.Raise, exc=make.optional(node.exc), cause=cause)


def _assert(make: Expressions, node: ast.Assert, _: Span) -> cst.CSTNode:
    return made(cst.Assert, test=make.of(node.test), msg=make.optional(node.msg))


def _delete(make: Expressions, node: ast.Delete, span: Span) -> cst.CSTNode:
    if len(node.targets) == 1:
        return made(cst.Del, target=make.of(node.targets[0]))
    first = make.places.enclosed(span[0] + len("del"), make.places.span(node.targets[0]))
    target = made(cst.Tuple, elements=make.elements(node.targets, first[0]))
    make.spans[target] = (first[0], span[1])
    return made(cst.Del, target=target)


def _import(make: Expressions, node: ast.Import, _: Span) -> cst.CSTNode:
    return made(cst.Import, names=[_alias(make, alias) for alias in node.names])


def _import_from(make: Expressions, node: ast.ImportFrom, _: Span) -> cst.CSTNode:
    starred = node.names[0].name == "*"
    return made(
        cst.ImportFrom,
        module=None if node.module is None else made(cst.Name, value=node.module),
        relative=[None] * node.level,
        names=made(cst.ImportStar) if starred else [_alias(make, alias) for alias in node.names],
        rpar=None,
    )


def _alias(make: Expressions, node: ast.alias) -> cst.ImportAlias:
    asname = None
    if node.asname is not None:
        asname = made(cst.AsName, name=made(cst.Name, value=node.asname))
    alias = made(cst.ImportAlias, name=made(cst.Name, value=node.name), asname=asname)
    make.spans[alias] = make.places.span(node)
    return alias


def _declaration(kind: type[cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    def make_one(make: Expressions, node: ast.Global | ast.Nonlocal, _: Span) -> cst.CSTNode:
        return made(kind, names=[made(cst.NameItem, name=make.name(n)) for n in node.names])

    return make_one


def _plain(kind: type[cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    return lambda make, node, span: made(kind)


_MAKERS: Final[dict[type, Callable[[Expressions, Any, Span], cst.CSTNode]]] = {
    ast.AnnAssign: _annotated,
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AsyncFor: _for,
    ast.AsyncFunctionDef: _function,
    ast.AsyncWith: _with,
    ast.AugAssign: _augmented,
    ast.Break: _plain(cst.Break),
    ast.ClassDef: _class,
    ast.Continue: _plain(cst.Continue),
    ast.Delete: _delete,
    ast.Expr: _expression,
    ast.For: _for,
    ast.FunctionDef: _function,
    ast.Global: _declaration(cst.Global),
    ast.If: _if,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Nonlocal: _declaration(cst.Nonlocal),
    ast.Pass: _plain(cst.Pass),
    ast.Raise: _raise,
    ast.Return: _return,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.While: _while,
    ast.With: _with,
}
