"""Functions, lambdas and classes: libcst -> scopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import libcst as cst

from dlint.index.expressions import (
    Attribute,
    ClassValue,
    Expression,
    FunctionValue,
    Parameter,
    Starred,
)
from dlint.index.lower_blocks import header_end, lower_suite
from dlint.index.lower_context import (
    Context,
    expression,
    lowers_expression,
    lowers_statement,
    optional,
)
from dlint.index.model import Class, Define, ParameterSpec, Return, Scope
from dlint.places import Span

Kind = Literal["positional", "either", "star", "keyword", "starstar"]


@lowers_statement("FunctionDef")
def lower_function(context: Context, node: cst.FunctionDef) -> None:
    span = _decorated_span(context, node)
    statement = Define(span, (), context.block)
    context.begin(statement)
    decorators = tuple([expression(context, d.decorator) for d in node.decorators])
    parameters = _specs(context, node.params)
    name = node.name.value
    scope = _scope(context, "function", name, span)
    scope.decorators, scope.parameters = decorators, parameters
    scope.is_async = node.asynchronous is not None
    if context.scope.kind == "class":
        scope.owner = context.scope.owner
        _add_method(scope)
    value = FunctionValue(span, scope)
    statement.definitions = (context.environment.bind(context.spans[node.name], name, value),)
    inside = context.enter(scope)
    _bind_parameters(inside, node.params)
    lower_suite(inside, node.body, scope.body)
    inside.environment.finish()


def _add_method(scope: Scope) -> None:
    """The last definition of a name counts, but a setter does not hide its property."""
    assert scope.owner is not None
    methods = scope.owner.methods
    setter = any(isinstance(d, Attribute) and d.name in _ACCESSORS for d in scope.decorators)
    if not (setter and scope.name in methods):
        methods[scope.name] = scope


_ACCESSORS = ("setter", "deleter")


@lowers_expression("Lambda")
def lower_lambda(context: Context, node: cst.Lambda) -> Expression:
    span = context.spans[node]
    parameters = _specs(context, node.params)
    scope = _scope(context, "lambda", "<lambda>", span)
    scope.parameters = parameters
    scope.owner = context.scope.owner if context.scope.kind == "class" else None
    inside = context.enter(scope)
    _bind_parameters(inside, node.params)
    statement = Return(context.spans[node.body], None, scope.body)
    inside.begin(statement)
    statement.value = expression(inside, node.body)
    scope.returns.append(statement.value)
    inside.environment.finish()
    return FunctionValue(span, scope)


@lowers_statement("ClassDef")
def lower_class(context: Context, node: cst.ClassDef) -> None:
    span = _decorated_span(context, node)
    statement = Define(span, (), context.block)
    context.begin(statement)
    name = node.name.value
    decorators = tuple([expression(context, d.decorator) for d in node.decorators])
    bases = tuple([_base(context, base) for base in node.bases])
    for keyword in node.keywords:
        expression(context, keyword.value)
    scope = _scope(context, "class", name, span)
    header = _class_header(context, node)
    cls = Class(span, header, name, scope.qualified_name, bases, decorators, scope)
    scope.owner = cls
    context.module.classes.append(cls)
    inside = context.enter(scope)
    lower_suite(inside, node.body, scope.body)
    inside.environment.finish()
    value = ClassValue(span, cls)
    statement.definitions = (context.environment.bind(context.spans[node.name], name, value),)


def _base(context: Context, node: cst.Arg) -> Expression:
    value = expression(context, node.value)
    return Starred(context.spans[node], value) if node.star else value


def _class_header(context: Context, node: cst.ClassDef) -> Span:
    last = max(context.spans[part][1] for part in (node.name, *node.bases, *node.keywords))
    return context.spans[node][0], header_end(context.text, last)


def _decorated_span(context: Context, node: cst.FunctionDef | cst.ClassDef) -> Span:
    start, end = context.spans[node]
    return context.spans[node.decorators[0]][0] if node.decorators else start, end


def _scope(
    context: Context, kind: Literal["function", "lambda", "class"], name: str, span: Span
) -> Scope:
    outer = context.scope
    parent = outer.parent if outer.kind == "class" else outer
    prefix = {"module": "", "class": f"{outer.qualified_name}."}.get(
        outer.kind, f"{outer.qualified_name}.<locals>."
    )
    return Scope(kind, name, prefix + name, span, context.module, parent)


def _parameters(node: cst.Parameters) -> Iterator[tuple[cst.Param, Kind]]:
    for parameter in node.posonly_params:
        yield parameter, "positional"
    for parameter in node.params:
        yield parameter, "either"
    if isinstance(node.star_arg, cst.Param):
        yield node.star_arg, "star"
    for parameter in node.kwonly_params:
        yield parameter, "keyword"
    if node.star_kwarg is not None:
        yield node.star_kwarg, "starstar"


def _specs(context: Context, node: cst.Parameters) -> tuple[ParameterSpec, ...]:
    specs: list[ParameterSpec] = []
    for parameter, kind in _parameters(node):
        annotation = parameter.annotation
        meaning = expression(context, annotation.annotation) if annotation else None
        default = optional(context, parameter.default)
        specs.append(ParameterSpec(parameter.name.value, kind, default, meaning))
    return tuple(specs)


def _bind_parameters(context: Context, node: cst.Parameters) -> None:
    for parameter, _ in _parameters(node):
        span, name = context.spans[parameter.name], parameter.name.value
        context.environment.bind(span, name, Parameter(span, name))
