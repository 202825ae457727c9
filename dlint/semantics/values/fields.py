"""Alternatives of instance attributes: what a class's methods write to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir.module import Class, Store
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import ABSENT, Found, merged
from dlint.semantics.values.conditions import Condition

if TYPE_CHECKING:
    from dlint.semantics.values.evaluator import Alternatives


def written(ask: Alternatives, cls: Class, name: str, depth: int) -> Found | None:
    """What is written to an attribute of a class's objects; None where nothing is."""
    flow = ask.flow
    family = flow.classes.family(cls)
    stored: list[tuple[ex.Expression, Frame]] = []
    for member in family:
        if any(spec.name == name for spec in member.fields):
            return _constructed(ask, cls, name, depth)
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


def _constructed(ask: Alternatives, cls: Class, name: str, depth: int) -> Found | None:
    """A dataclass field that its one construction takes from a settings file."""
    names = [spec.name for spec in cls.fields]
    calls = [call for f in ask.flow.project.loaded for call in f.calls.get(cls.name, ())]
    if name not in names or len(calls) != 1 or ask.flow.project.writing(name):
        return None
    frame = ask.flow.root(calls[0].scope)
    passed = Passed(tuple((argument, frame) for argument in calls[0].arguments))
    unpacked = [ask.flow.values(a.value, frame) for a, _ in passed.unpacked("**")]
    if not unpacked or not all(map(ask.flow.config_files.reads, unpacked)):
        return None
    given = mappings.argument(ask, passed, names.index(name), name, depth)
    default = cls.fields[names.index(name)].default
    return [a for a in given if a.value != ABSENT] or (
        None if default is None else ask.of(default, ask.flow.root(cls.body), depth)
    )


def _may_be(ask: Alternatives, store: Store, family: list[Class]) -> bool:
    values = ask.flow.values(store.target.value, ask.flow.root(store.scope))
    return any(attributes.project_class(value) in family for value in values)
