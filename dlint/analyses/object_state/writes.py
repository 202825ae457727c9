"""Writes: what code puts into the attributes of an object.

Followed are `self.name = value` (also from closures), `setattr(self, "name", value)`, what
containers take in that attributes hold (`self.rows.append(row)`, `self.rows[key] = row`), the
object that a class method makes and hands back (`made = cls(); made.name = value`), names of the
class body, and the defaults of a dataclass's fields. Not followed are `__dict__` and `setattr` with
a name that is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dlint.analyses.callees import is_self, root_name
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.library_facts.readers import MUTATORS
from dlint.semantics.calls.call_contexts import CallArguments, CallContext


class Write(NamedTuple):
    """What one attribute of an object comes to hold, in the activation that writes it.

    `inside`: `value` becomes an element of what the attribute holds.
    """

    attribute: str
    value: ex.Expression
    frame: CallContext
    span: Span
    inside: bool = False

    @property
    def of_class(self) -> bool:
        """Whether it is a name of the class body, which all objects of the class share."""
        return self.frame.scope.kind == "class" and self.frame.receiver is None


class Writes:
    """The writes of activations, each found once: what they hold compares by identity."""

    def __init__(self) -> None:
        self._known: dict[CallContext, tuple[Write, ...]] = {}

    def of(self, frame: CallContext) -> tuple[Write, ...]:
        """What one activation writes: whole attributes first, then what goes into containers."""
        if frame not in self._known:
            of_body = frame.scope.kind == "class"
            self._known[frame] = tuple(_of_class_body(frame) if of_body else _of_code(frame))
        return self._known[frame]


def additions(scope: Scope) -> Iterator[tuple[ex.Expression, ex.Expression, Span]]:
    """What containers take in by the code of a scope: container, value, place."""
    for store in scope.stores:
        if isinstance(store.target, ex.Subscript):
            yield store.target.value, store.value, store.span
    for call in scope.calls:
        if call.name in MUTATORS and isinstance(call.function, ex.Attribute) and call.arguments:
            yield call.function.value, call.arguments[-1].value, call.span


def _of_code(frame: CallContext) -> Iterator[Write]:
    scope = frame.scope
    for store in scope.stores:
        if isinstance(store.target, ex.Attribute) and _is_object(store.target.value, scope):
            yield Write(store.target.name, store.value, frame, store.span)
    for call in scope.calls:
        values = positional(call) if call.name == "setattr" else []
        if len(values) == 3 and _is_object(values[0], scope):
            name = values[1].value if isinstance(values[1], ex.Constant) else None
            if isinstance(name, str):
                yield Write(name, values[2], frame, call.span)
    for container, value, span in additions(scope):
        name = root_name(container, scope)
        if name is not None and name.startswith("self."):
            yield Write(name.removeprefix("self."), value, frame, span, inside=True)


def _is_object(expression: ex.Expression, scope: Scope) -> bool:
    """Whether an expression is the method's object, or the one that a class method makes."""
    return is_self(expression, scope) or makes_object(expression, scope)


def makes_object(expression: ex.Expression, scope: Scope) -> bool:
    """Whether an expression of a class method is a new object of its class: `cls(...)`."""
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        expression = expression.definition.value
    owner = scope.owner
    if not isinstance(expression, ex.Call) or owner is None:
        return False
    callee = expression.function
    named = isinstance(callee, ex.Reference) and callee.name == owner.name
    return is_self(callee, scope) or named


def _of_class_body(frame: CallContext) -> Iterator[Write]:
    """Names of a class body; entered for an object, it makes what the fields hold by default."""
    for definition in frame.scope.definitions:
        value, factory = definition.value, _factory(definition.value)
        if frame.receiver is None:
            if factory is None and not isinstance(value, ex.FunctionValue | ex.ClassValue):
                yield Write(definition.name, value, frame, definition.span)
        elif factory is not None and isinstance(value, ex.Call):
            made, where = _called(factory, value, frame)
            yield Write(definition.name, made, where, definition.span)


def _factory(value: ex.Expression) -> ex.Expression | None:
    """What makes a field's value: `default_factory` of `dataclasses.field`, attrs' `factory`."""
    if not isinstance(value, ex.Call):
        return None
    known = ("default_factory", "factory")
    return next((a.value for a in value.arguments if a.keyword in known), None)


def _called(
    factory: ex.Expression, field: ex.Call, frame: CallContext
) -> tuple[ex.Expression, CallContext]:
    """The call of a field's factory, or what the lambda gives that stands there."""
    if isinstance(factory, ex.FunctionValue) and factory.function.returns:
        inner = factory.function
        return inner.returns[0], CallContext(inner, field, CallArguments(()), frame, frame)
    return ex.Call(factory.span, factory, (), field.scope, field.statement), frame
