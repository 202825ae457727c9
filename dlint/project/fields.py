"""Alternatives of instance attributes: what a class's methods write to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.index import expressions as ex
from dlint.index.model import Class, Store
from dlint.project import attributes
from dlint.project.alternative import Found, merged
from dlint.project.conditions import Condition
from dlint.project.frames import Frame

if TYPE_CHECKING:
    from dlint.project.alternatives import Alternatives


def written(ask: Alternatives, cls: Class, name: str, depth: int) -> Found | None:
    """What is written to an attribute of a class's objects; None where nothing is."""
    flow = ask.flow
    family = flow.classes.family(cls)
    stored: list[tuple[ex.Expression, Frame]] = []
    for member in family:
        if any(spec.name == name for spec in member.fields):
            return None
        for definition in flow.bindings(member.body, name):
            stored.append((definition.value, flow.root(member.body)))
    for store in flow.project.writing(name):
        owner = attributes.written_on_self(store)
        if owner in family:
            stored.append((store.value, flow.root(store.scope)))
        elif owner is None and _may_be(ask, store, family):
            return None
    if not stored or any(isinstance(value, ex.FunctionValue) for value, _ in stored):
        return None
    if len(stored) == 1:
        return ask.of(*stored[0], depth)
    return merged(
        replace(a, when=a.when | {Condition(("field", cls, name), value)})
        for value, frame in stored
        for a in ask.of(value, frame, depth)
    )


def _may_be(ask: Alternatives, store: Store, family: list[Class]) -> bool:
    values = ask.flow.values(store.target.value, ask.flow.root(store.scope))
    return any(attributes.project_class(value) in family for value in values)
