"""Where an attribute of a class's objects gets its values.

Question: which expressions does the project write to an attribute of the objects of a class? Of
the whole family (ancestors and descendants), since a method's `self` may be of any of them: names
bound in class bodies, fields that a dataclass's constructor takes (what the body binds to one is
its default, for constructions that do not give it; annotations of plain classes are no fields),
writes to `self` in methods, mappings whose items all become attributes, and apart from these all
writes to an attribute of that name, of which nobody knows the object yet.
Linear in the writes of that name in loaded modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dlint.ir.expressions import Call, Expression, Reference
from dlint.ir.module import Class, ParameterSpec, Store
from dlint.library_facts.entry_names import PLAIN_BASES
from dlint.semantics.calls.attributes import decorators, written_on_self
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.calls.keyed_writes import KeyedWrites
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
    by_key: tuple[tuple[Expression, CallContext], ...]
    """Mappings whose items become attributes, whatever their keys are."""


def field_writes(solver: Solver, cls: Class, name: str) -> FieldWrites:
    """What is written to an attribute of the objects of a class."""
    family = tuple(solver.classes.family(cls))
    fields = tuple(_fields(solver, family, name))
    stores = [(store, written_on_self(store)) for store in solver.project.writing(name)]
    return FieldWrites(
        family,
        tuple(_bodies(solver, family, name, {member for member, _ in fields})),
        fields,
        tuple(store for store, owner in stores if owner in family),
        tuple(store for store, owner in stores if owner is None),
        tuple(keyed for member in family for keyed in solver[KeyedWrites].of(member)),
    )


def _bodies(
    solver: Solver, family: tuple[Class, ...], name: str, constructed: set[Class]
) -> Iterator[tuple[Expression, CallContext]]:
    """What bodies bind; what a field is bound to is its default, for constructors to give."""
    for member in family:
        if member not in constructed:
            home = solver.root(member.body)
            yield from ((found.value, home) for found in solver.bindings(member.body, name))


def _fields(
    solver: Solver, family: tuple[Class, ...], name: str
) -> Iterator[tuple[Class, ParameterSpec]]:
    for member in family:
        spec = next((spec for spec in member.fields if spec.name == name), None)
        if spec is not None and _may_take_fields(solver, member):
            yield member, spec


def _may_take_fields(solver: Solver, cls: Class) -> bool:
    """Whether something may make a constructor of a class's annotations: a decorator, an ancestor.

    In a plain class they only tell readers what an attribute is.
    """
    if cls.decorators or not solver.classes.is_whole(cls):
        return True
    if any("__init_subclass__" in ancestor.methods for ancestor in solver.classes.ancestors(cls)):
        return True
    return not PLAIN_BASES.issuperset(solver.classes.externals(cls))


def constructions_of(solver: Solver, cls: Class) -> Iterator[Call]:
    """The calls of a class, by a name for it or as `cls(…)` in its class methods."""
    for facts in solver.project.naming(cls.name):
        yield from facts.calls_of(cls.name)
    yield from own_constructions(cls)


def own_constructions(cls: Class) -> Iterator[Call]:
    """The objects that class methods make of their own class: `cls(…)`."""
    for method in cls.methods.values():
        if "classmethod" in decorators(method) and method.parameters:
            own = method.parameters[0].name
            for call in method.calls:
                if isinstance(call.function, Reference) and call.function.name == own:
                    yield call
