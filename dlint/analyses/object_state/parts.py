"""Parts: the objects of the project that an object's attributes hold.

Question: objects of which classes does an attribute hold, itself or in a list, in what `*args` or
`**kwargs` take, or in a copy of these? Asked are the values of what is written, over all that make
an object; where nobody is seen to give a parameter, its annotation answers. What a part holds in
turn is the state of its own class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.semantics.calls import attributes
from dlint.semantics.values import containers
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import ClassObject, Container, Value, VarArgs

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.writes import Write
    from dlint.ir.module import Class, Scope


class Part(NamedTuple):
    """An object of class `cls` in an attribute."""

    attribute: str
    cls: Class


def parts_of_write(context: AnalysisContext, write: Write) -> Iterator[Part]:
    """The objects of the project that one write puts into its attribute."""
    parameter = given_parameter(ex.unpacked(write.value))
    values = context.values(write.value, write.frame.scope)
    known = {attributes.project_class(value): None for value in _each(context, values)}
    classes = [cls for cls in known if cls is not None]
    if not classes and parameter is not None:
        classes = list(annotated_classes(context, parameter, write.frame.scope))
    yield from (Part(write.attribute, cls) for cls in classes)


def given_parameter(value: ex.Expression) -> str | None:
    """The parameter that an expression hands on as it came."""
    definition = value.definition if isinstance(value, ex.Reference) else None
    given = definition is not None and isinstance(definition.value, ex.Parameter)
    return definition.name if given and definition is not None else None


def annotated_classes(context: AnalysisContext, name: str, scope: Scope) -> Iterator[Class]:
    """The classes that the annotation of a parameter names."""
    spec = next((s for s in scope.parameters if s.name == name), None)
    if spec is not None and spec.annotation is not None:
        found = context.solver.names.static(spec.annotation, scope.parent or scope)
        yield from (value.cls for value in found if isinstance(value, ClassObject))


def _each(context: AnalysisContext, values: frozenset[Value]) -> Iterator[Value]:
    """Values, and what lists among them hold."""
    for value in ordered(values):
        yield value
        if isinstance(value, Container | VarArgs):
            node = containers.elements(context.solver, value)
            context.solver.settle()
            yield from ordered(node.values)
