"""Where an attribute of a class's objects gets its values.

Question: which expressions does the project write to an attribute of the objects of a class? Of
the whole family (ancestors and descendants), since a method's `self` may be of any of them: names
bound in class bodies, fields that a dataclass's constructor takes, writes to `self` in methods, and
apart from these all writes to an attribute of that name, of which nobody knows the object yet.
Linear in the writes of that name in loaded modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dlint.ir.expressions import Expression
from dlint.ir.module import Class, ParameterSpec, Store
from dlint.semantics.calls.attributes import written_on_self
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.solver import Solver


@dataclass(frozen=True, slots=True)
class FieldWrites:
    """What is written to one attribute of a family of classes."""

    family: tuple[Class, ...]
    in_bodies: tuple[tuple[Expression, CallContext], ...]
    fields: tuple[tuple[Class, ParameterSpec], ...]
    """Fields of dataclasses and named tuples, which are arguments of their constructors."""
    on_self: tuple[Store, ...]
    elsewhere: tuple[Store, ...]
    """Writes to an attribute of that name of any object."""


def field_writes(solver: Solver, cls: Class, name: str) -> FieldWrites:
    """What is written to an attribute of the objects of a class."""
    family = tuple(solver.classes.family(cls))
    stores = [(store, written_on_self(store)) for store in solver.project.writing(name)]
    return FieldWrites(
        family,
        tuple(
            (definition.value, solver.root(member.body))
            for member in family
            for definition in solver.bindings(member.body, name)
        ),
        tuple(_fields(family, name)),
        tuple(store for store, owner in stores if owner in family),
        tuple(store for store, owner in stores if owner is None),
    )


def _fields(family: tuple[Class, ...], name: str) -> Iterator[tuple[Class, ParameterSpec]]:
    for member in family:
        spec = next((spec for spec in member.fields if spec.name == name), None)
        if spec is not None:
            yield member, spec
