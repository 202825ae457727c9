"""Ways to a place: what closes the way in its function, or in all functions that lead there.

Question: is a place closed off by something that is asked of one function at a time. Followed: the
functions and classes around it, which are never made behind what closes the way, and the calls of a
plain function, or of the constructor of a method's class, if all of them are closed off. Given up
on: decorated functions, which others may call, and classes without a constructor of their own.
Budget: `_DEEP` calls one inside the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from dlint.analyses.call_graph import callers_of

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
    callers = _callers(context, scope) if deep else []
    closed = [_closing(context, call.scope, call.span, by, deep - 1) for call in callers]
    return closed[0] if all(one is not None for one in closed) and closed else None


def _callers(context: AnalysisContext, scope: Scope) -> list[ex.Call]:
    """The calls of a plain function; of a method those that make an object of its class."""
    if scope.kind != "function" or scope.decorators:
        return []
    entered = scope if scope.owner is None else scope.owner.methods.get("__init__")
    return [] if entered is None else callers_of(context, entered)


def _innermost(module: ModuleIndex, place: Place) -> Scope:
    """The scope of a module in which a place lies."""
    around = [s for s in module.scopes if s.span[0] <= place.start and place.end <= s.span[1]]
    return min(around, key=lambda s: s.span[1] - s.span[0], default=module.body)
