"""Values of arguments in words, each with where it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from dlint.explain.unknowns import why_unknown
from dlint.findings.places import Place
from dlint.frontends.settings_files import Setting
from dlint.ir import expressions as ex
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Instance,
    Literal,
    Method,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.binding import Bound
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.values.conditional_value import Absent, ConditionalValue

_ABSENT = "not given"
_MOST = 8
"""Alternatives of an argument that are told."""


class ToldValue(NamedTuple):
    """One value that an argument may have."""

    text: str
    place: Place | None
    """Where it was written; None where nobody wrote it, or that is not known."""
    default_of: str | None = None
    """The default that it is, where it holds only as long as nobody gives another."""
    is_known: bool = True
    why: str | None = None
    """Why it is not known."""
    why_place: Place | None = None


class ToldArgument(NamedTuple):
    """An argument, and all that it may be."""

    name: str
    values: tuple[ToldValue, ...]


def told_arguments(
    context: AnalysisContext,
    bound: Bound | None,
    names: tuple[str, ...],
    defaults: Mapping[str, int | bool],
) -> Iterator[ToldArgument]:
    """The arguments of a call that are given, and those that have one of some defaults instead."""
    for name in names:
        absent = f"{_ABSENT}: {defaults[name]!r}" if name in defaults else _ABSENT
        found = () if bound is None else tuple(_values(context, bound, name, absent))
        if found:
            yield ToldArgument(name, found)


def _values(context: AnalysisContext, bound: Bound, name: str, absent: str) -> Iterator[ToldValue]:
    alternatives = bound.alternatives(name)
    if all(not _is_value(a.value) for a in alternatives):
        if absent != _ABSENT:
            yield ToldValue(absent, None)
        return
    seen: set[ToldValue] = set()
    for alternative in alternatives:
        told = _value(context, bound, name, alternative, absent)
        if told not in seen and len(seen) < _MOST:
            seen.add(told)
            yield told


def _is_value(value: Value | Absent) -> bool:
    return (value != UNKNOWN and in_words(value) is not None) or value == UNKNOWN


def _value(
    context: AnalysisContext, bound: Bound, name: str, alternative: ConditionalValue, absent: str
) -> ToldValue:
    place = _place(context, bound, name, alternative.source)
    words = in_words(alternative.value)
    if words is None:
        return ToldValue(absent, None, alternative.assumed)
    if alternative.value != UNKNOWN:
        return ToldValue(words, place, alternative.assumed)
    located = bound.located(name)
    reason = None if located is None else why_unknown(context, *located)
    why, where = ("the analysis does not follow it", None) if reason is None else reason
    return ToldValue(words, place, alternative.assumed, is_known=False, why=why, why_place=where)


def in_words(value: Value | Absent) -> str | None:
    """A value as text; None for one that is not given."""
    match value:
        case Literal():
            return repr(value.value)
        case External():
            return f"`{value.path}`"
        case AllocationSite():
            return f"what `{_name_of(value)}(…)` makes"
        case FunctionObject() | Method():
            return f"the function `{value.scope.name}`"
        case ClassObject():
            return f"the class `{value.cls.name}`"
        case Instance():
            return f"an object of `{value.cls.name}`"
        case Container():
            return "a list, tuple or dict that is written out"
    if value == UNKNOWN:
        return "not known"
    kind = type(value).__name__
    return None if kind == "Absent" else f"a {kind.lower()}"


def _name_of(made: AllocationSite) -> str:
    return made.origin.cls.name if isinstance(made.origin, ClassObject) else library_path(made)


def _place(
    context: AnalysisContext, bound: Bound, name: str, source: ex.Expression | None
) -> Place | None:
    """Where the deciding expression stands, else what the call gives."""
    if isinstance(source, Setting):
        return Place(source.path, *source.span)
    if source is not None:
        scope = _home(context, bound, name, source)
        if scope is not None:
            return Place(scope.module.path, *source.span)
    return bound.place(name)


def _home(context: AnalysisContext, bound: Bound, name: str, source: ex.Expression) -> Scope | None:
    """The module that an expression stands in: first where the argument is, then anywhere."""
    located = bound.located(name)
    own = None if located is None else located[1].scope.module
    modules = sorted(
        (facts.module for facts in context.project.loaded),
        key=lambda module: (module is not own, module.path),
    )
    for module in modules:
        for scope in module.scopes:
            if any(part is source for part in _written_in(scope)):
                return scope
    return None


def _written_in(scope: Scope) -> Iterator[ex.Expression]:
    from dlint.ir import walk

    for definition in scope.definitions:
        yield from walk.walk(definition.value)
    for spec in scope.parameters:
        if spec.default is not None:
            yield from walk.walk(spec.default)
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            yield from walk.walk(expression)
