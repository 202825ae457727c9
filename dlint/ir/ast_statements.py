"""Statements of Python's own parser -> libcst's nodes."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from dlint.ir.ast_expressions import WRITING, arguments
from dlint.ir.ast_nodes import EXPRESSIONS, NAME, STATEMENTS, Reader, Unlike, converts, maker
from dlint.ir.spans import seek

_ANNOTATED = maker(cst.AnnAssign, "target", "annotation", "value")
_ANNOTATION = maker(cst.Annotation, "annotation")
_ALIAS = maker(cst.ImportAlias, "name", "asname")
_AS = maker(cst.AsName, "name")
_ASSERT = maker(cst.Assert, "test", "msg")
_ASSIGN = maker(cst.Assign, "targets", "value")
_ATTRIBUTE = maker(cst.Attribute, "value", "attr")
_AUGMENTED = maker(cst.AugAssign, "target", "operator", "value")
_BLOCK = maker(cst.IndentedBlock, "body")
_CAUSE = maker(cst.From, "item")
_CLASS = maker(cst.ClassDef, "decorators", "name", "bases", "keywords", "body")
_DECLARED = maker(cst.NameItem, "name")
_DECORATOR = maker(cst.Decorator, "decorator")
_DEL = maker(cst.Del, "target")
_ELSE = maker(cst.Else, "body")
_EXPR = maker(cst.Expr, "value")
_FINALLY = maker(cst.Finally, "body")
_FOR = maker(cst.For, "target", "iter", "body", "orelse")
_FUNCTION = maker(cst.FunctionDef, "decorators", "asynchronous", "name", "params", "body")
_HANDLER = maker(cst.ExceptHandler, "type", "name", "body")
_IF = maker(cst.If, "test", "body", "orelse")
_IMPORT = maker(cst.Import, "names")
_IMPORT_FROM = maker(cst.ImportFrom, "module", "names", "relative")
_ITEM = maker(cst.WithItem, "item", "asname")
_LAMBDA = maker(cst.Lambda, "params", "body")
_PARAMETER = maker(cst.Param, "name", "annotation", "default")
_PARAMETERS = maker(
    cst.Parameters, "posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"
)
_RAISE = maker(cst.Raise, "exc", "cause")
_RETURN = maker(cst.Return, "value")
_STAR = maker(cst.ImportStar)
_TARGET = maker(cst.AssignTarget, "target")
_TRY = maker(cst.Try, "body", "handlers", "orelse", "finalbody")
_TUPLE = maker(cst.Tuple, "elements")
_WHILE = maker(cst.While, "test", "body", "orelse")
_WITH = maker(cst.With, "items", "body")
_ASYNC = maker(cst.Asynchronous)()
_BARE = {kind: maker(getattr(cst, kind.__name__)) for kind in (ast.Pass, ast.Break, ast.Continue)}
_DECLARING = {ast.Global: maker(cst.Global, "names"), ast.Nonlocal: maker(cst.Nonlocal, "names")}


@converts(STATEMENTS, ast.Pass, ast.Break, ast.Continue)
def _bare(reader: Reader, node: ast.Pass | ast.Break | ast.Continue) -> Any:
    return reader.at(_BARE[type(node)](), node)


@converts(STATEMENTS, ast.Expr)
def _expr(reader: Reader, node: ast.Expr) -> Any:
    return reader.at(_EXPR(reader.expression(node.value)), node)


@converts(STATEMENTS, ast.Assert)
def _assert(reader: Reader, node: ast.Assert) -> Any:
    return reader.at(_ASSERT(reader.expression(node.test), reader.optional(node.msg)), node)


@converts(STATEMENTS, ast.Delete)
def _del(reader: Reader, node: ast.Delete) -> Any:
    target, others = node.targets[0], node.targets[1:]
    stop = reader.end(node)
    if not others and reader.closed(reader.end(target), stop)[0] == reader.last(
        reader.end(target), stop
    ):
        return reader.at(_DEL(reader.expression(target)), node)
    start = reader.skip(reader.start(node) + len("del"))
    made = reader.within(_TUPLE(reader.targets(node.targets, start, stop)), start, stop)
    return reader.at(_DEL(made), node)


@converts(STATEMENTS, ast.Assign)
def _assign(reader: Reader, node: ast.Assign) -> Any:
    targets = [_TARGET(reader.expression(target)) for target in node.targets]
    return reader.at(_ASSIGN(targets, reader.expression(node.value)), node)


@converts(STATEMENTS, ast.AnnAssign)
def _annotated(reader: Reader, node: ast.AnnAssign) -> Any:
    annotation = _ANNOTATION(reader.expression(node.annotation))
    target = reader.expression(node.target)
    return reader.at(_ANNOTATED(target, annotation, reader.optional(node.value)), node)


@converts(STATEMENTS, ast.AugAssign)
def _augmented(reader: Reader, node: ast.AugAssign) -> Any:
    target, value = reader.expression(node.target), reader.expression(node.value)
    return reader.at(_AUGMENTED(target, WRITING[type(node.op)], value), node)


@converts(STATEMENTS, ast.Return)
def _return(reader: Reader, node: ast.Return) -> Any:
    return reader.at(_RETURN(reader.optional(node.value)), node)


@converts(STATEMENTS, ast.Raise)
def _raise(reader: Reader, node: ast.Raise) -> Any:
    cause = None if node.cause is None else _CAUSE(reader.expression(node.cause))
    return reader.at(_RAISE(reader.optional(node.exc), cause), node)


@converts(STATEMENTS, ast.Global, ast.Nonlocal)
def _declaration(reader: Reader, node: ast.Global | ast.Nonlocal) -> Any:
    names = [_DECLARED(NAME(name)) for name in node.names]
    return reader.at(_DECLARING[type(node)](names), node)


# -- imports


@converts(STATEMENTS, ast.Import)
def _import(reader: Reader, node: ast.Import) -> Any:
    return reader.at(_IMPORT([_alias(reader, alias) for alias in node.names]), node)


@converts(STATEMENTS, ast.ImportFrom)
def _import_from(reader: Reader, node: ast.ImportFrom) -> Any:
    names: object = _STAR()
    if node.names[0].name != "*":
        names = [_alias(reader, alias) for alias in node.names]
    module = None if node.module is None else _dotted(node.module)
    return reader.at(_IMPORT_FROM(module, names, [None] * node.level), node)


def _alias(reader: Reader, node: ast.alias) -> Any:
    name = None if node.asname is None else _AS(NAME(node.asname))
    return reader.at(_ALIAS(_dotted(node.name), name), node)


def _dotted(name: str) -> Any:
    first, *others = name.split(".")
    made = NAME(first)
    for other in others:
        made = _ATTRIBUTE(made, NAME(other))
    return made


# -- statements with blocks


def _block(reader: Reader, nodes: list[ast.stmt]) -> Any:
    return _BLOCK(reader.statements(nodes))


def _else(reader: Reader, nodes: list[ast.stmt]) -> Any:
    return _ELSE(_block(reader, nodes)) if nodes else None


@converts(STATEMENTS, ast.If)
def _if(reader: Reader, node: ast.If) -> Any:
    test, body = reader.expression(node.test), _block(reader, node.body)
    otherwise = node.orelse
    goes_on = otherwise and isinstance(otherwise[0], ast.If)
    if goes_on and reader.text.startswith("elif", reader.start(otherwise[0])):
        return reader.around(_IF(test, body, _if(reader, otherwise[0])), node)
    return reader.around(_IF(test, body, _else(reader, otherwise)), node)


@converts(STATEMENTS, ast.For, ast.AsyncFor)
def _for(reader: Reader, node: ast.For | ast.AsyncFor) -> Any:
    target, iterable = reader.expression(node.target), reader.expression(node.iter)
    body, otherwise = _block(reader, node.body), _else(reader, node.orelse)
    return reader.around(_FOR(target, iterable, body, otherwise), node)


@converts(STATEMENTS, ast.While)
def _while(reader: Reader, node: ast.While) -> Any:
    test, body = reader.expression(node.test), _block(reader, node.body)
    return reader.around(_WHILE(test, body, _else(reader, node.orelse)), node)


@converts(STATEMENTS, ast.With, ast.AsyncWith)
def _with(reader: Reader, node: ast.With | ast.AsyncWith) -> Any:
    items = [_item(reader, item) for item in node.items]
    return reader.around(_WITH(items, _block(reader, node.body)), node)


def _item(reader: Reader, node: ast.withitem) -> Any:
    given = reader.expression(node.context_expr)
    target = node.optional_vars
    return _ITEM(given, None if target is None else _AS(reader.expression(target)))


@converts(STATEMENTS, ast.Try)
def _try(reader: Reader, node: ast.Try) -> Any:
    body = _block(reader, node.body)
    handlers = [_handler(reader, handler) for handler in node.handlers]
    otherwise = _else(reader, node.orelse)
    final = _FINALLY(_block(reader, node.finalbody)) if node.finalbody else None
    return reader.around(_TRY(body, handlers, otherwise, final), node)


def _handler(reader: Reader, node: ast.ExceptHandler) -> Any:
    kind, name = reader.optional(node.type), None
    if node.name is not None and node.type is not None:
        behind = seek(reader.text, "as", reader.end(node.type)) + len("as")
        name = _AS(reader.name(node.name, reader.skip(behind)))
    return _HANDLER(kind, name, _block(reader, node.body))


# -- scopes


@converts(STATEMENTS, ast.FunctionDef, ast.AsyncFunctionDef)
def _function(reader: Reader, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    if getattr(node, "type_params", None):
        raise Unlike
    is_async = isinstance(node, ast.AsyncFunctionDef)
    behind = seek(reader.text, "def", reader.start(node)) + len("def")
    name = reader.name(node.name, reader.skip(behind))
    decorators, start = _decorators(reader, node)
    parameters = _parameters(reader, node.args)
    body = _block(reader, node.body)
    made = _FUNCTION(decorators, _ASYNC if is_async else None, name, parameters, body)
    return reader.around(made, node, start)


@converts(STATEMENTS, ast.ClassDef)
def _class(reader: Reader, node: ast.ClassDef) -> Any:
    if getattr(node, "type_params", None):
        raise Unlike
    at = reader.skip(reader.start(node) + len("class"))
    name = reader.name(node.name, at)
    decorators, start = _decorators(reader, node)
    stop = reader.start(node.body[0])
    given = arguments(reader, node.bases, node.keywords, at + len(node.name), stop)
    bases = [one for one in given if one.keyword is None and one.star != "**"]
    keywords = [one for one in given if one.keyword is not None or one.star == "**"]
    made = _CLASS(decorators, name, bases, keywords, _block(reader, node.body))
    return reader.around(made, node, start)


def _decorators(reader: Reader, node: Any) -> tuple[list[Any], int]:
    """The decorators of a function or class, and where the whole begins."""
    start, made = reader.start(node), []
    for decorator in reversed(node.decorator_list):
        begin = reader.start(decorator)
        start = reader.text.rfind("@", 0, begin)
        if reader.skip(start + 1) != begin:
            raise Unlike  # it stands in parentheses
        one = _DECORATOR(reader.expression(decorator))
        made.append(reader.within(one, start, reader.end(decorator)))
    return made[::-1], start


@converts(EXPRESSIONS, ast.Lambda)
def _lambda(reader: Reader, node: ast.Lambda) -> Any:
    parameters = _parameters(reader, node.args)
    return reader.at(_LAMBDA(parameters, reader.expression(node.body)), node)


def _parameters(reader: Reader, node: ast.arguments) -> Any:
    plain = [*node.posonlyargs, *node.args]
    lacking = len(plain) - len(node.defaults)
    defaults = [None] * lacking + [*node.defaults]
    made = [_parameter(reader, *one) for one in zip(plain, defaults, strict=True)]
    only = zip(node.kwonlyargs, node.kw_defaults, strict=True)
    count = len(node.posonlyargs)
    return _PARAMETERS(
        made[:count],
        made[count:],
        None if node.vararg is None else _parameter(reader, node.vararg),
        [_parameter(reader, *one) for one in only],
        None if node.kwarg is None else _parameter(reader, node.kwarg),
    )


def _parameter(reader: Reader, node: ast.arg, default: ast.expr | None = None) -> Any:
    name = reader.name(node.arg, reader.start(node))
    annotation = None if node.annotation is None else reader.expression(node.annotation)
    meaning = None if annotation is None else _ANNOTATION(annotation)
    return _PARAMETER(name, meaning, reader.optional(default))
