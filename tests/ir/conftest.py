"""Modules lowered from text, and expressions written out with what their names denote."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from textwrap import dedent
from typing import Any

import pytest

from dlint.ir import expressions as ir
from dlint.ir.lower import lower
from dlint.ir.module import ModuleIndex
from dlint.workspace.source import Source

Show = Callable[[ir.Expression | None], str]
Lower = Callable[[str], ModuleIndex]


@pytest.fixture
def module() -> Lower:
    """The index of some text, whose common indentation is taken away."""
    return lambda text: lower(Source("/project/module.py", dedent(text)))


@pytest.fixture
def show() -> Show:
    """An expression as text: names stand for what they denote, `?name` is free, `^name` itself."""
    return Writer().write


class Writer:
    def __init__(self) -> None:
        self.inside: list[ir.Definition] = []

    def write(self, expression: ir.Expression | None) -> str:
        return "" if expression is None else FORMS[type(expression)](expression, self)

    def all(self, expressions: Iterable[ir.Expression | None], separator: str = ", ") -> str:
        return separator.join(self.write(expression) for expression in expressions)

    def reference(self, name: str, definition: ir.Definition | None) -> str:
        if definition is None:
            return f"?{name}"
        if definition in self.inside:
            return f"^{name}"
        self.inside.append(definition)
        written = self.write(definition.value)
        self.inside.pop()
        return written

    def argument(self, argument: ir.Argument) -> str:
        keyword = f"{argument.keyword}=" if argument.keyword else ""
        return argument.star + keyword + self.write(argument.value)

    def comprehension(self, value: ir.Comprehension) -> str:
        element = self.all(filter(None, (value.key, value.element)), ": ")
        iterables, conditions = self.all(value.iterables, " "), self.all(value.conditions, " ")
        return f"{value.kind}[{element} of {iterables} if {conditions}]"


def _infix(e: Any, w: Writer) -> str:
    return f"({w.write(e.left)} {e.operator} {w.write(e.right)})"


FORMS: dict[type, Callable[[Any, Writer], str]] = {
    ir.Constant: lambda e, w: repr(e.value),
    ir.Reference: lambda e, w: w.reference(e.name, e.definition),
    ir.Attribute: lambda e, w: f"{w.write(e.value)}.{e.name}",
    ir.Subscript: lambda e, w: f"{w.write(e.value)}[{w.write(e.index)}]",
    ir.Slice: lambda e, w: w.all(e.bounds, ":"),
    ir.Call: lambda e, w: f"{w.write(e.function)}({', '.join(map(w.argument, e.arguments))})",
    ir.Sequence: lambda e, w: f"{e.kind}({w.all(e.items)})",
    ir.Starred: lambda e, w: f"*{w.write(e.value)}",
    ir.Mapping: lambda e, w: "{" + ", ".join(w.all(item, ": ") for item in e.items) + "}",
    ir.Conditional: lambda e, w: f"({w.write(e.then)} if {w.all((e.test, e.otherwise), ' else ')})",
    ir.Join: lambda e, w: "{" + w.all(e.alternatives, " | ") + "}",
    ir.Boolean: _infix,
    ir.Binary: _infix,
    ir.Comparison: _infix,
    ir.Unary: lambda e, w: f"({e.operator} {w.write(e.operand)})",
    ir.Comprehension: lambda e, w: w.comprehension(e),
    ir.FunctionValue: lambda e, w: f"def {e.function.qualified_name}",
    ir.ClassValue: lambda e, w: f"class {e.cls.qualified_name}",
    ir.Imported: lambda e, w: f"import {'.' * e.level}{e.module}:{e.name or ''}",
    ir.Parameter: lambda e, w: f"<{e.name}>",
    ir.Element: lambda e, w: f"each {w.write(e.iterable)}",
    ir.Item: lambda e, w: f"{'*' if e.starred else ''}#{e.position} of {w.write(e.value)}",
    ir.Entered: lambda e, w: f"entered {w.write(e.value)}",
    ir.Format: lambda e, w: f"f({w.all(e.parts, ' ')})",
    ir.Await: lambda e, w: f"await {w.write(e.value)}",
    ir.Yield: lambda e, w: f"yield{' from' if e.delegates else ''} {w.write(e.value)}",
    ir.Opaque: lambda e, w: f"opaque({w.all(e.children)})",
}
