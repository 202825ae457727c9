"""Calls: which calls of a program are calls of a library callable, or of a method of some name.

Question: where is `torch.multiprocessing.spawn` called, and what does this call call? A callable of
a library has its full dotted path; a method of an object that a library makes is named after it:
`multiprocessing.Pool().map`.

Followed: imports under any name, in any scope and through other modules of the project; names,
attributes and defaults of parameters bound to the callable; `functools.partial`; objects that come
from constructors, `with` and `get_context`. Candidates are found by an index of the last names of
callees and of the names bound to them; only these are resolved: by names first, and by the values
of the callee where names say nothing. Given up on: a callable that is handed to a function of the
project as an argument or kept in a container, and names bound to it by `setattr`. Linear in the
names that a program binds, once; an answer costs what its candidates cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import is_dead
from dlint.ir import expressions as ex
from dlint.semantics.calls import attributes
from dlint.semantics.calls.object_calls import CALLED
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import (
    ClassObject,
    External,
    Partial,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.project import Facts

_CONTEXT = ".get_context()"
"""A context of `multiprocessing` offers what the module does."""

_MOST_PARTIALS = 4


def calls_to(context: AnalysisContext, *paths: str) -> Iterator[ex.Call]:
    """The calls in the loaded modules whose callee may be one of these library callables."""
    wanted = frozenset(paths)
    return (call for call in candidates(context, wanted) if is_call_to(context, call, wanted))


def constructions_of(context: AnalysisContext, *paths: str) -> Iterator[ex.Call]:
    """The calls in the loaded modules that make an object of a library class, or of a subclass."""
    wanted = frozenset(paths)
    load_makers(context, lambda cls: _is_derived(context, cls, wanted))
    names = callable_names(context, wanted | derived_names(context, wanted))
    for call in _calls_by(context, lambda facts: facts.calls.among(names)):
        if is_call_to(context, call, wanted) or _makes_derived(context, call, wanted):
            yield call


def load_makers(context: AnalysisContext, is_wanted: Callable[[Class], bool]) -> None:
    """Load the modules that may make objects of some of the project's classes, or derive others."""
    known: set[Class] = set()
    while True:
        classes = [cls for facts in context.modules for cls in facts.module.classes]
        new = [cls for cls in classes if cls not in known and is_wanted(cls)]
        if not new:
            return
        for cls in new:
            known.add(cls)
            context.project.load_users(cls.body.module.path, cls.name, called=True)


def calls_anywhere(context: AnalysisContext, *names: str) -> Iterator[ex.Call]:
    """Calls in the loaded modules whose callee ends in one of these names."""
    return iter(context[_CallsAnywhere].of(frozenset(names)))


def are_made_once(context: AnalysisContext, classes: Iterable[Class]) -> bool:
    """Whether a program calls some classes at one place, so that what it makes is one object.

    Where no call names them, as of `MODELS[name]()`, calls that enter their constructors count.
    """
    some = tuple(classes)
    named = list(calls_anywhere(context, *{cls.name for cls in some}))
    if named:
        return len(named) == 1
    inits = [context.solver.classes.method(cls, "__init__") for cls in some]
    known = [init for init in inits if init is not None]
    frames = [frame for init in known for frame in context.evaluator.callers(init)]
    return len(known) == len(some) and len({frame.call for frame in frames}) == 1


def calls_matching(context: AnalysisContext, names: re.Pattern[str]) -> Iterator[ex.Call]:
    """Calls in the loaded modules whose callee's last name matches."""
    for facts in context.modules:
        for name in filter(names.search, facts.calls):
            yield from facts.calls[name]


def is_call_to(context: AnalysisContext, call: ex.Call, paths: Iterable[str]) -> bool:
    """Whether the callee of a call may be one of these library callables."""
    if call.name is not None and call.name not in callable_names(context, paths):
        return False
    return not frozenset(paths).isdisjoint(library_callees(context, call))


def certainly_calls(context: AnalysisContext, call: ex.Call, paths: AbstractSet[str]) -> bool:
    """Whether all that a call may call are library callables of these."""
    found = library_callees(context, call)
    return bool(found) and all(path in paths for path in found)


def library_callees(context: AnalysisContext, call: ex.Call) -> tuple[str, ...]:
    """The paths of the library callables that a call may call; empty where none is known."""
    return context[_LibraryCallees].of(call)


def is_made(context: AnalysisContext, cls: Class) -> bool:
    """Whether the project makes an object of exactly this class."""
    return any(
        isinstance(value, ClassObject) and value.cls is cls
        for call in calls_anywhere(context, cls.name)
        for value in context.values(call.function, call.scope)
    )


def is_method(path: str) -> bool:
    """Whether a path is that of a method of an object: `multiprocessing.Pool().map`."""
    return "()" in path


def behind_partial(context: AnalysisContext, partial: Partial) -> tuple[ex.Expression, CallContext]:
    """The callable that a partial binds, and where it is evaluated."""
    # a call with no positional argument makes none
    bound, frame = context.solver.passed[partial].arguments[0]
    return bound.value, frame


def callable_methods(context: AnalysisContext, value: Value) -> list[Scope]:
    """The methods of the project that calling an object runs: `__call__`, and `forward` by it."""
    cls = attributes.project_class(value)
    classes = context.solver.classes
    found = [] if cls is None else [classes.method(cls, name) for name in CALLED]
    return [method for method in found if method is not None]


def candidates(context: AnalysisContext, paths: frozenset[str]) -> Iterator[ex.Call]:
    """The calls that may, by their names, be calls of these library callables."""
    names = callable_names(context, paths)
    return _calls_by(context, lambda facts: names)


def _calls_by(
    context: AnalysisContext, names: Callable[[Facts], AbstractSet[str]]
) -> Iterator[ex.Call]:
    """The calls of each module by these names, in the order of places."""
    for facts in context.modules:
        called = (call for name in facts.calls.among(names(facts)) for call in facts.calls[name])
        for call in sorted(called, key=lambda call: call.span):
            if not is_dead(call.statement):
                yield call


def derived_names(context: AnalysisContext, paths: frozenset[str]) -> frozenset[str]:
    """The names of the project's classes that are derived from library classes."""
    return frozenset(
        cls.name
        for facts in context.modules
        for cls in facts.module.classes
        if _is_derived(context, cls, paths)
    )


def _is_derived(context: AnalysisContext, cls: Class, paths: frozenset[str]) -> bool:
    return bool(cls.bases) and not paths.isdisjoint(context.solver.classes.externals(cls))


def _makes_derived(context: AnalysisContext, call: ex.Call, paths: frozenset[str]) -> bool:
    classes = context.solver.classes
    made = (v.cls for v in context.values(call.function, call.scope) if isinstance(v, ClassObject))
    return any(not paths.isdisjoint(classes.externals(cls)) for cls in made)


def callable_names(context: AnalysisContext, paths: Iterable[str]) -> frozenset[str]:
    """The last names by which library callables may be called in a program."""
    return context[_BoundNames].of(_last_names(frozenset(paths)))


@lru_cache(1_024)
def _last_names(paths: frozenset[str]) -> frozenset[str]:
    return frozenset(path.rpartition(".")[2] for path in paths)


class _LibraryCallees:
    """The library callables behind calls, each call resolved once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[ex.Call, tuple[str, ...]] = {}

    def of(self, call: ex.Call) -> tuple[str, ...]:
        """The paths of what one call may call."""
        found = self._known.get(call)
        if found is None:
            found = self._known[call] = tuple(dict.fromkeys(map(_plain, self._paths(call))))
        return found

    def _paths(self, call: ex.Call) -> Iterator[str]:
        static = self._context.solver.names.static(call.function, call.scope)
        if static:
            yield from (value.path for value in static if isinstance(value, External))
            return
        for value in ordered(self._context.values(call.function, call.scope)):
            yield from self._behind(value, _MOST_PARTIALS)
        if isinstance(call.function, ex.Attribute):
            yield from self._members(call.function, call.scope)

    def _behind(self, value: Value, depth: int) -> Iterator[str]:
        """The library callable that a value is, or that a partial binds."""
        if isinstance(value, External):
            yield value.path
        elif isinstance(value, Partial) and depth:
            bound = self._context.solver.values(*behind_partial(self._context, value))
            for inner in ordered(bound):
                yield from self._behind(inner, depth - 1)

    def _members(self, callee: ex.Attribute, scope: Scope) -> Iterator[str]:
        """A method of an object that a library makes, however deep its own path is."""
        for value in ordered(self._context.values(callee.value, scope)):
            path = library_path(value)
            if path:
                yield f"{_plain(path)}().{callee.name}"


def _plain(path: str) -> str:
    return path.replace(_CONTEXT, "")


class _BoundNames:
    """By which other names of a program something of a name may be called."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[tuple[frozenset[str], int], frozenset[str]] = {}

    def of(self, names: frozenset[str]) -> frozenset[str]:
        """These names, and all that are bound to them, to names bound to them …"""
        key = names, len(self._context.project.loaded)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._closed(names)
        return known

    def _closed(self, names: frozenset[str]) -> frozenset[str]:
        found = set(names)
        frontier: set[str] = found
        modules = [facts.bound for facts in self._context.project.loaded]
        while frontier:
            bound = (module[name] for module in modules for name in module.among(frontier))
            frontier = {name for group in bound for name in group} - found
            found |= frontier
        return frozenset(found)


class _CallsAnywhere:
    """Calls in the loaded modules by some names, each set of names looked for once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[frozenset[str], tuple[int, list[ex.Call]]] = {}

    def of(self, names: frozenset[str]) -> list[ex.Call]:
        """Module by module, and by the alphabet of the names."""
        modules = self._context.modules
        known = self._known.get(names)
        if known is None or known[0] < len(modules):
            tables = [(f.calls, sorted(f.calls.among(names))) for f in modules]
            calls = [call for table, found in tables for name in found for call in table[name]]
            known = self._known[names] = len(modules), calls
        return known[1]
