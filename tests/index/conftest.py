"""Modules lowered from text, and expressions written out with what their names denote."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from dlint.index import expressions as ir
from dlint.index.lower import lower
from dlint.index.model import ModuleIndex
from dlint.source import Source

Show = Callable[[ir.Expression | None], str]
Lower = Callable[[str], ModuleIndex]


@pytest.fixture
def module() -> Lower:
    """The index of some text, whose common indentation is taken away."""
    return lambda text: lower(Source("/project/module.py", dedent(text)))


@pytest.fixture
def show() -> Show:
    """An expression as text: names stand for what they denote, `?name` is free."""
    return lambda expression: _show(expression, ())


def _show(expression: ir.Expression | None, inside: tuple[ir.Definition, ...]) -> str:
    def each(*parts: ir.Expression | None) -> list[str]:
        return [_show(part, inside) for part in parts]

    match expression:
        case None:
            return ""
        case ir.Constant(value=value):
            return repr(value)
        case ir.Reference(name=name, definition=None):
            return f"?{name}"
        case ir.Reference(name=name, definition=definition):
            if definition in inside:
                return f"^{name}"
            return _show(definition.value, (*inside, definition))
        case ir.Attribute(value=value, name=name):
            return f"{each(value)[0]}.{name}"
        case ir.Subscript(value=value, index=index):
            return "{}[{}]".format(*each(value, index))
        case ir.Slice(bounds=bounds):
            return ":".join(each(*bounds))
        case ir.Call(function=function, arguments=arguments):
            written = [
                a.star + (f"{a.keyword}=" if a.keyword else "") + each(a.value)[0]
                for a in arguments
            ]
            return f"{each(function)[0]}({', '.join(written)})"
        case ir.Sequence(kind=kind, items=items):
            return f"{kind}({', '.join(each(*items))})"
        case ir.Starred(value=value):
            return f"*{each(value)[0]}"
        case ir.Mapping(items=items):
            return "{" + ", ".join(": ".join(each(*item)) for item in items) + "}"
        case ir.Conditional(test=test, then=then, otherwise=otherwise):
            return "({1} if {0} else {2})".format(*each(test, then, otherwise))
        case ir.Join(alternatives=alternatives):
            return "{" + " | ".join(each(*alternatives)) + "}"
        case ir.Boolean() | ir.Binary() | ir.Comparison():
            return "({} {} {})".format(
                each(expression.left)[0], expression.operator, each(expression.right)[0]
            )
        case ir.Unary(operator=operator, operand=operand):
            return f"({operator} {each(operand)[0]})"
        case ir.Comprehension():
            parts = each(*expression.iterables), each(*expression.conditions)
            element = ": ".join(each(*filter(None, (expression.key, expression.element))))
            return f"{expression.kind}[{element} of {' '.join(parts[0])} if {' '.join(parts[1])}]"
        case ir.FunctionValue(function=function):
            return f"def {function.qualified_name}"
        case ir.ClassValue(cls=cls):
            return f"class {cls.qualified_name}"
        case ir.Imported():
            dots = "." * expression.level
            return f"import {dots}{expression.module}:{expression.name or ''}"
        case ir.Parameter(name=name):
            return f"<{name}>"
        case ir.Element(iterable=iterable):
            return f"each {each(iterable)[0]}"
        case ir.Item(value=value, position=position, starred=starred):
            return f"{'*' if starred else ''}#{position} of {each(value)[0]}"
        case ir.Entered(value=value):
            return f"entered {each(value)[0]}"
        case ir.Format(parts=parts):
            return "f(" + " ".join(each(*parts)) + ")"
        case ir.Await(value=value):
            return f"await {each(value)[0]}"
        case ir.Yield(value=value, delegates=delegates):
            return f"yield{' from' if delegates else ''} {each(value)[0]}"
        case ir.Opaque(children=children):
            return f"opaque({', '.join(each(*children))})"
