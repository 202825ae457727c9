"""Ways to a place: what closes the way in its function, or in all functions that lead there.

Question: is a place closed off by something that is asked of one function at a time. Followed: the
functions and classes around it, which are never made behind what closes the way, and the calls of a
plain function, or of the constructor of a method's class, if all of them are closed off. Given up
on: functions and classes that others may call, as they are decorated, handed on (`run(Model)`), or
named by a test or notebook; and classes without a constructor of their own.
Budget: `_DEEP` calls one inside the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from dlint.analyses.call_graph import callers_of
from dlint.analyses.idle.spoken_names import may_take, mentions

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place, Span
    from dlint.ir import expressions as ex
    from dlint.ir.module import ModuleIndex, Scope

T = TypeVar("T")
Closing = Callable[["Scope", "Span"], T | None]
"""What closes the way to a span within one function; None where nothing does."""
_DEEP = 3


def closing(context: AnalysisContext, place: Place, by: Closing[T]) -> T | None:
    """What closes all ways to a place in a module; None where it may be reached."""
    facts = context.project.load(place.path) if context.project.is_loaded(place.path) else None
    if facts is None:
        return None
    return _closing(context, _innermost(facts.module, place), (place.start, place.end), by, _DEEP)


def _closing(
    context: AnalysisContext, scope: Scope, span: Span, by: Closing[T], deep: int
) -> T | None:
    found = by(scope, span)
    if found is None and scope.parent is not None:
        found = _closing(context, scope.parent, scope.span, by, deep)
    if found is not None:
        return found
    first: T | None = None
    for call in _callers(context, scope) if deep else ():
        closed = _closing(context, call.scope, call.span, by, deep - 1)
        if closed is None:
            return None
        first = closed if first is None else first
    # who else may call it is asked last: that looks through all files that hold its name
    return None if first is None or _may_be_called_by_others(context, scope) else first


def _callers(context: AnalysisContext, scope: Scope) -> list[ex.Call]:
    """The calls of a plain function; of a method those that make an object of its class."""
    if scope.kind != "function" or scope.decorators:
        return []
    entered = scope if scope.owner is None else scope.owner.methods.get("__init__")
    return [] if entered is None else callers_of(context, entered)


def _may_be_called_by_others(context: AnalysisContext, scope: Scope) -> bool:
    name = scope.name if scope.owner is None else scope.owner.name
    return context[_Handed].is_handed_on(name, scope.module.path)


class _Handed:
    """Which functions and classes are more than called: others may call them, too."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project = context.project
        self._known: dict[tuple[str, str], bool] = {}

    def is_handed_on(self, name: str, path: str) -> bool:
        """Whether a file hands on what a module defines, or a test or notebook names it."""
        if (name, path) not in self._known:
            self._known[name, path] = self._is_handed_on(name, path)
        return self._known[name, path]

    def _is_handed_on(self, name: str, path: str) -> bool:
        project = self._project
        if any(may_take(project, other, path, name) for other in project.bystanders()):
            return True
        holders = sorted(project.words.holders_in(project.files, name.encode()))
        modules = (project.lower(holder) for holder in holders if holder.endswith(".py"))
        return any(module is None or mentions(module, name, bare=True) for module in modules)


def _innermost(module: ModuleIndex, place: Place) -> Scope:
    """The scope of a module in which a place lies."""
    around = [s for s in module.scopes if s.span[0] <= place.start and place.end <= s.span[1]]
    return min(around, key=lambda s: s.span[1] - s.span[0], default=module.body)
