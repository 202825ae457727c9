"""Functions, lambdas and classes: libcst -> scopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import libcst as cst

from dlint.findings.places import Span
from dlint.ir.expressions import (
    Attribute,
    ClassValue,
    Expression,
    FunctionValue,
    Parameter,
    Starred,
)
from dlint.ir.lower_blocks import lower_suite
from dlint.ir.lower_context import EXPRESSIONS, STATEMENTS, Context, expression, optional
from dlint.ir.module import Class, Define, ParameterSpec, Return, Scope
from dlint.ir.spans import seek

Kind = Literal["positional", "either", "star", "keyword", "starstar"]


@STATEMENTS.lowers("FunctionDef")
def lower_function(context: Context, node: cst.FunctionDef) -> None:
    statement = Define(context.spans[node], (), context.block)
    context.begin(statement)
    scope = _function(context, node)
    value, name_span = FunctionValue(scope.span, scope), context.spans[node.name]
    statement.definitions = (context.environment.bind(name_span, scope.name, value),)
    inside = _enter(context, scope, node.params)
    lower_suite(inside, node.body, scope.body)
    inside.environment.finish()


def _function(context: Context, node: cst.FunctionDef) -> Scope:
    decorators = _decorators(context, node)
    parameters = _specs(context, node.params)
    scope = _scope(context, "function", node.name.value, context.spans[node])
    scope.decorators, scope.parameters = decorators, parameters
    scope.is_async = node.asynchronous is not None
    if scope.owner is not None:
        _add_method(scope.owner, scope)
    return scope


def _add_method(owner: Class, scope: Scope) -> None:
    """The last definition of a name counts, but a setter does not hide its property."""
    accessors = ("setter", "deleter")
    if scope.name in owner.methods and any(
        isinstance(decorator, Attribute) and decorator.name in accessors
        for decorator in scope.decorators
    ):
        return
    owner.methods[scope.name] = scope


@EXPRESSIONS.lowers("Lambda")
def lower_lambda(context: Context, node: cst.Lambda) -> Expression:
    parameters = _specs(context, node.params)
    scope = _scope(context, "lambda", "<lambda>", context.spans[node])
    scope.parameters = parameters
    inside = _enter(context, scope, node.params)
    statement = Return(context.spans[node.body], None, scope.body)
    inside.begin(statement)
    statement.value = expression(inside, node.body)
    scope.returns.append(statement.value)
    inside.environment.finish()
    return FunctionValue(scope.span, scope)


def _enter(context: Context, scope: Scope, parameters: cst.Parameters) -> Context:
    inside = context.enter(scope)
    for parameter, _ in _parameters(parameters):
        span, name = context.spans[parameter.name], parameter.name.value
        inside.environment.bind(span, name, Parameter(span, name))
    return inside


@STATEMENTS.lowers("ClassDef")
def lower_class(context: Context, node: cst.ClassDef) -> None:
    statement = Define(context.spans[node], (), context.block)
    context.begin(statement)
    cls = _class(context, node)
    context.module.classes.append(cls)
    inside = context.enter(cls.body)
    lower_suite(inside, node.body, cls.body.body)
    inside.environment.finish()
    value, name_span = ClassValue(cls.span, cls), context.spans[node.name]
    statement.definitions = (context.environment.bind(name_span, cls.name, value),)


def _class(context: Context, node: cst.ClassDef) -> Class:
    decorators = _decorators(context, node)
    bases = tuple([_base(context, base) for base in node.bases])
    for keyword in node.keywords:
        expression(context, keyword.value)
    name, span = node.name.value, context.spans[node]
    scope = _scope(context, "class", name, span)
    header = _class_header(context, node)
    cls = Class(span, header, name, scope.qualified_name, bases, decorators, scope)
    scope.owner = cls
    return cls


def _base(context: Context, node: cst.Arg) -> Expression:
    value = expression(context, node.value)
    return Starred(context.spans[node], value) if node.star else value


def _class_header(context: Context, node: cst.ClassDef) -> Span:
    spans, text = context.spans, context.text
    behind = spans[node.decorators[-1]][1] if node.decorators else spans[node][0]
    parts = (node.name, node.type_parameters, *node.bases, *node.keywords)
    last = max(spans[part][1] for part in parts if part is not None)
    return seek(text, "class", behind), seek(text, ":", last) + 1


def _decorators(context: Context, node: cst.FunctionDef | cst.ClassDef) -> tuple[Expression, ...]:
    return tuple([expression(context, decorator.decorator) for decorator in node.decorators])


def _scope(
    context: Context, kind: Literal["function", "lambda", "class"], name: str, span: Span
) -> Scope:
    """A scope inside the current one; the bodies of classes are no parents."""
    outer = context.scope
    if outer.kind == "class":
        qualified_name = f"{outer.qualified_name}.{name}"
        return Scope(kind, name, qualified_name, span, context.module, outer.parent, outer.owner)
    prefix = "" if outer.kind == "module" else f"{outer.qualified_name}.<locals>."
    return Scope(kind, name, prefix + name, span, context.module, outer)


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
