"""Settings objects that a library makes: what their dataclasses say that they hold.

Question: what is the default of `config.loader.workers` where `config` is only annotated? Followed:
annotations that name one dataclass of the project, `_DEPTH` steps deep: attributes, and parameters
without an annotation that all known calls give one such object; where anybody writes to an
attribute of that name, Unknown is among the values.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from dlint.ir.expressions import Attribute, Call, Constant, Expression, Parameter, Reference
from dlint.ir.module import Class, ParameterSpec, Scope
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import UNKNOWN, ClassObject, Value

_DEPTH = 6


def read(
    evaluator: Evaluator, expression: Attribute, scope: Scope, bases: Collection[Value], depth: int
) -> ConditionalValues | None:
    """The default of a field that the annotation of a parameter leads to; it is assumed."""
    if any(base != UNKNOWN for base in bases):
        return None
    owner = _class_of(evaluator, expression.value, scope, _DEPTH)
    spec = None if owner is None else _field(evaluator.solver, owner, expression.name)
    if owner is None or spec is None or (given := _default(spec)) is None:
        return None
    label = f"default of `{expression.name}` in `{owner.name}`"
    found = [
        replace(a, assumed=label)
        for a in evaluator.of(given, evaluator.solver.root(owner.body), depth)
    ]
    written = evaluator.solver.project.writing(expression.name)
    return [*found, ConditionalValue(UNKNOWN)] if written else found


def _class_of(
    evaluator: Evaluator, expression: Expression, scope: Scope, depth: int
) -> Class | None:
    """The dataclass that an expression is declared to be an object of."""
    if depth == 0:
        return None
    solver = evaluator.solver
    if isinstance(expression, Attribute):
        owner = _class_of(evaluator, expression.value, scope, depth - 1)
        spec = None if owner is None else _field(solver, owner, expression.name)
        return None if owner is None or spec is None else _annotated(solver, spec, owner.body)
    definition = expression.definition if isinstance(expression, Reference) else None
    if definition is None or not isinstance(definition.value, Parameter):
        return None
    home = definition.scope
    spec = next((s for s in home.parameters if s.name == definition.value.name), None)
    if spec is None:
        return None
    if spec.annotation is None:
        return _class_given(evaluator, spec, home, depth - 1)
    return _annotated(solver, spec, home)


def _class_given(
    evaluator: Evaluator, spec: ParameterSpec, scope: Scope, depth: int
) -> Class | None:
    """The dataclass of which every known call gives an object, as far as that is declared."""
    given = [frame.given(spec.name) for frame in evaluator.callers(scope)]
    found = {None if g is None else _class_of(evaluator, g[0], g[1].scope, depth) for g in given}
    return found.pop() if len(found) == 1 else None


def _annotated(solver: Solver, spec: ParameterSpec, scope: Scope) -> Class | None:
    """The one dataclass of the project that an annotation names."""
    annotation = spec.annotation
    if isinstance(annotation, Constant) or annotation is None:
        return None
    found = solver.names.static(annotation, scope)
    if len(found) != 1 or not isinstance(found[0], ClassObject):
        return None
    return found[0].cls if is_dataclass(found[0].cls) else None


def is_dataclass(cls: Class) -> bool:
    """Whether a class carries the decorator."""
    for decorator in cls.decorators:
        callee = decorator.function if isinstance(decorator, Call) else decorator
        if isinstance(callee, Reference | Attribute) and callee.own_name == "dataclass":
            return True
    return False


def _field(solver: Solver, cls: Class, name: str) -> ParameterSpec | None:
    for member in solver.classes.ancestors(cls):
        for spec in member.fields:
            if spec.name == name:
                return spec
    return None


def _default(spec: ParameterSpec) -> Expression | None:
    """What stands behind `=`, or is given to `field(default=…)`."""
    value = spec.default
    if isinstance(value, Call) and value.name == "field":
        return next((a.value for a in value.arguments if a.keyword == "default"), None)
    return value
