"""Attributes of objects by path: what the methods of a class write to them.

Question: what does `self.name` hold, and when? Followed: class bodies and writes to `self` in the
whole family, and fields of a dataclass that its one construction takes from a settings file. Given
up on (the solver's values count): attributes that are written on other names of the object, and
methods. Bounded by the evaluator's steps.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.module import Class, Store
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.calls.field_writes import field_writes
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValues, merged
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluator


def written(evaluator: Evaluator, cls: Class, name: str, depth: int) -> ConditionalValues | None:
    """What is written to an attribute of a class's objects; None where nothing is."""
    writes = field_writes(evaluator.solver, cls, name)
    if writes.fields:
        return _constructed(evaluator, cls, name, depth)
    if any(_may_be(evaluator, store, writes.family) for store in writes.elsewhere):
        return None
    own = ((store.value, evaluator.solver.root(store.scope)) for store in writes.on_self)
    stored = [*writes.in_bodies, *own]
    if not stored or any(isinstance(value, ex.FunctionValue) for value, _ in stored):
        return None
    if len(stored) == 1:
        return evaluator.of(*stored[0], depth)
    return merged(
        a.under({Condition(("field", cls, name), value)})
        for value, frame in stored
        for a in evaluator.of(value, frame, depth)
    )


def _constructed(
    evaluator: Evaluator, cls: Class, name: str, depth: int
) -> ConditionalValues | None:
    """A dataclass field that its one construction takes from a settings file."""
    names = [spec.name for spec in cls.fields]
    calls = [call for f in evaluator.solver.project.loaded for call in f.calls_of(cls.name)]
    if name not in names or len(calls) != 1 or evaluator.solver.project.writing(name):
        return None
    frame = evaluator.solver.root(calls[0].scope)
    passed = CallArguments.of(calls[0].arguments, frame)
    unpacked = [evaluator.solver.values(a.value, frame) for a, _ in passed.unpacked("**")]
    if not unpacked or not all(map(evaluator.solver[ConfigFiles].reads, unpacked)):
        return None
    given = mappings.argument(evaluator, passed, names.index(name), name, depth)
    default = cls.fields[names.index(name)].default
    return [a for a in given if a.value != ABSENT] or (
        None if default is None else evaluator.of(default, evaluator.solver.root(cls.body), depth)
    )


def _may_be(evaluator: Evaluator, store: Store, family: tuple[Class, ...]) -> bool:
    values = evaluator.solver.values(store.target.value, evaluator.solver.root(store.scope))
    return any(attributes.project_class(value) in family for value in values)
