"""Attributes of objects by path: what the methods of a class write to them.

Question: what does `self.name` hold, and when? Followed: class bodies and writes to `self` in the
whole family, fields of a dataclass that its one construction (also `cls(…)` in its class methods)
takes from a settings file or a dict, or leaves to their defaults though others are written later
(`config.workers = args.workers`), and names that nobody writes, for which `__getattr__` looks
into a dict of the object. Given up on (the solver's values count): attributes that are written on
other names of the object, and methods. Bounded by the evaluator's steps.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope, Store
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.calls.field_writes import FieldWrites, constructions_of, field_writes
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import (
    ABSENT,
    ConditionalValue,
    ConditionalValues,
    merged,
)
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.values import UNKNOWN, Container, Value

_NOTHING = ConditionalValue(ABSENT)


def written(evaluator: Evaluator, cls: Class, name: str, depth: int) -> ConditionalValues | None:
    """What is written to an attribute of a class's objects; None where nothing is."""
    writes = field_writes(evaluator.solver, cls, name)
    written_to = [_owners(evaluator, store) for store in writes.elsewhere]
    later = [
        (store.value, evaluator.solver.root(store.scope))
        for store, found in zip(writes.elsewhere, written_to, strict=True)
        if any(attributes.project_class(value) in writes.family for value in found)
    ]
    if later:
        return _written_later(evaluator, cls, writes, name, later, depth)
    if writes.fields:
        is_written = writes.on_self or any(UNKNOWN in found for found in written_to)
        return None if is_written else _constructed(evaluator, cls, name, depth)
    own = ((store.value, evaluator.solver.root(store.scope)) for store in writes.on_self)
    stored = [*writes.in_bodies, *own]
    if any(isinstance(value, ex.FunctionValue) for value, _ in stored):
        return None
    if writes.by_key:
        found = _stored(evaluator, cls, name, stored, depth) if stored else [_NOTHING]
        return _over(evaluator, writes.by_key, name, found, depth)
    if not stored:
        return _looked_up(evaluator, cls, name, depth)
    return _stored(evaluator, cls, name, stored, depth)


def _written_later(
    evaluator: Evaluator,
    cls: Class,
    writes: FieldWrites,
    name: str,
    later: list[tuple[ex.Expression, CallContext]],
    depth: int,
) -> ConditionalValues | None:
    """The default of a dataclass's field that no constructor is given, and what others write to it.

    So that of an option it stays known that it is one, and may have another value.
    """
    spec = next((spec for spec in cls.fields if spec.name == name), None)
    given = [call.arguments for call in constructions_of(evaluator.solver, cls)]
    is_plain = writes.fields and not (writes.in_bodies or writes.on_self or writes.by_key)
    if spec is None or spec.default is None or not is_plain or any(given):
        return None
    default = (spec.default, evaluator.solver.root(cls.body))
    return _stored(evaluator, cls, name, [default, *later], depth)


def _over(
    evaluator: Evaluator,
    mappings_: tuple[tuple[ex.Expression, CallContext], ...],
    name: str,
    found: ConditionalValues,
    depth: int,
) -> ConditionalValues:
    """What mappings hold under a name, and where they hold nothing, what is written otherwise.

    That is a default where a method is given a mapping later of which nothing is known.
    """
    for mapping, frame in mappings_:
        upper = mappings.item(evaluator, mapping, frame, name, depth + 1)
        known = [a for a in upper if not a.is_unknown]
        if frame.scope.name != "__init__" and len(known) < len(upper) and found != [_NOTHING]:
            why = f"default of attribute `{name}`"
            found = [replace(a, assumed=a.assumed or why) for a in found]
            upper = known or [_NOTHING]
        found = mappings.overlaid(upper, found)
    return [replace(a, value=UNKNOWN) if a.value == ABSENT else a for a in found]


def _stored(
    evaluator: Evaluator,
    cls: Class,
    name: str,
    stored: list[tuple[ex.Expression, CallContext]],
    depth: int,
) -> ConditionalValues:
    if len(stored) == 1:
        return evaluator.of(*stored[0], depth)
    return merged(
        a.under({Condition(("field", cls, name), value)})
        for value, frame in stored
        for a in evaluator.of(value, frame, depth)
    )


def _looked_up(evaluator: Evaluator, cls: Class, name: str, depth: int) -> ConditionalValues | None:
    """What `__getattr__(self, key)` gives for a name: `self.data[key]`, `self.data.get(key)`."""
    classes = evaluator.solver.classes
    method = classes.method(cls, "__getattr__")
    derived = set(classes.externals(cls)) - {"builtins.object"}
    if method is None or derived or classes.method(cls, name) is not None:
        return None
    for value in method.returns:
        mapping = _asked_of(value, method)
        if mapping is not None:
            frame = evaluator.solver.root(method)
            found = mappings.item(evaluator, mapping, frame, name, depth + 1)
            return [replace(a, value=UNKNOWN) if a.value == ABSENT else a for a in found]
    return None


def _asked_of(value: ex.Expression, method: Scope) -> ex.Expression | None:
    """The dict of the object that a value is looked up in, under the name that is asked for."""
    mapping, key = None, None
    if isinstance(value, ex.Subscript):
        mapping, key = value.value, value.index
    elif isinstance(value, ex.Call) and value.name == "get" and value.arguments:
        mapping = value.function.value if isinstance(value.function, ex.Attribute) else None
        key = value.arguments[0].value
    asked = None if key is None else ex.unnamed(key)
    names = [spec.name for spec in method.parameters[1:]]
    is_asked = isinstance(asked, ex.Parameter) and asked.name in names
    is_own = isinstance(mapping, ex.Attribute) and mapping.name != "__dict__"
    return mapping if is_asked and is_own else None


def _constructed(
    evaluator: Evaluator, cls: Class, name: str, depth: int
) -> ConditionalValues | None:
    """A dataclass field that its one construction takes from a settings file or a dict."""
    names = [spec.name for spec in cls.fields]
    calls = list(constructions_of(evaluator.solver, cls))
    if name not in names or len(calls) != 1:
        return None
    frame = evaluator.solver.root(calls[0].scope)
    passed = CallArguments.of(calls[0].arguments, frame)
    unpacked = [evaluator.solver.values(a.value, frame) for a, _ in passed.unpacked("**")]
    if not unpacked or not all(_are_mappings(evaluator, values) for values in unpacked):
        return None
    given = mappings.argument(evaluator, passed, names.index(name), name, depth)
    default = cls.fields[names.index(name)].default
    return [a for a in given if a.value != ABSENT] or (
        None if default is None else evaluator.of(default, evaluator.solver.root(cls.body), depth)
    )


def _are_mappings(evaluator: Evaluator, values: frozenset[Value]) -> bool:
    """Whether all of some values are settings of files, or dicts that the code makes."""
    if evaluator.solver[ConfigFiles].reads(values):
        return True
    return bool(values) and all(isinstance(value, Container) for value in values)


def _owners(evaluator: Evaluator, store: Store) -> frozenset[Value]:
    """The objects of which one an attribute is written."""
    return evaluator.solver.values(store.target.value, evaluator.solver.root(store.scope))
