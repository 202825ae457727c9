"""Whether a call is given the same things each time a loop runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.repetition import contains
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, Scope

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.epochs import EpochLoop


def is_invariant(context: AnalysisContext, call: ex.Call, epoch: EpochLoop) -> bool:
    """Whether every round gives the same arguments to `call`, as far as names tell.

    An argument that is itself made by a call may be another one each time.
    """
    if call.scope is epoch.scope:
        return all(_is_kept(context, a.value, call.scope, epoch.loop) for a in call.arguments)
    outer = _call_of(call.scope, epoch)
    return all(_is_given(context, a.value, call.scope, outer, epoch) for a in call.arguments)


def _call_of(scope: Scope, epoch: EpochLoop) -> ex.Call | None:
    """The one call in the epoch loop that enters a function."""
    found = [
        call
        for call in epoch.scope.calls
        if epoch.loop in walk.enclosing_loops(call.statement) and call.name == scope.name
    ]
    return found[0] if len(found) == 1 else None


def _is_kept(context: AnalysisContext, expression: ex.Expression, scope: Scope, loop: Loop) -> bool:
    """Whether an expression reads only what the loop does not write."""
    for part in walk.walk(expression):
        if isinstance(part, ex.Call | ex.FunctionValue) and not _is_plain(part):
            return False
        if isinstance(part, ex.Reference) and any(
            contains(loop.span, d.span) for d in scope.bindings(part.name)
        ):
            return False
        if isinstance(part, ex.Attribute) and _is_written(context, part):
            return False
    return True


def _is_plain(part: ex.Expression) -> bool:
    """Calls that give the same number each time, and functions written in place."""
    return isinstance(part, ex.FunctionValue) or (
        isinstance(part, ex.Call) and part.name in ("cpu_count", "is_available", "int", "len")
    )


def _is_written(context: AnalysisContext, attribute: ex.Attribute) -> bool:
    """Whether an attribute of this name is written outside constructors."""
    return any(store.scope.name != "__init__" for store in context.project.writing(attribute.name))


def _is_given(
    context: AnalysisContext,
    expression: ex.Expression,
    scope: Scope,
    outer: ex.Call | None,
    epoch: EpochLoop,
) -> bool:
    """The same of a function that each round enters: its parameters are what the call gives."""
    for part in walk.walk(expression):
        if isinstance(part, ex.Call):
            if not _is_plain(part):
                return False
        elif isinstance(part, ex.Attribute):
            if _is_written(context, part):
                return False
        elif isinstance(part, ex.Reference) and part.definition is not None:
            value = part.definition.value
            if not isinstance(value, ex.Parameter):
                return False
            if is_self(part, scope):
                continue
            given = _argument(outer, scope, value.name)
            if given is None or not _is_kept(context, given, epoch.scope, epoch.loop):
                return False
    return True


def _argument(call: ex.Call | None, scope: Scope, name: str) -> ex.Expression | None:
    """What a call gives to a parameter, where that is plain to see."""
    if call is None or any(a.star for a in call.arguments):
        return None
    keyword = next((a.value for a in call.arguments if a.keyword == name), None)
    names = [p.name for p in scope.parameters]
    shift = 1 if names and names[0] == "self" else 0
    plain = [a.value for a in call.arguments if a.keyword is None]
    position = names.index(name) - shift if name in names else -1
    return keyword or (plain[position] if 0 <= position < len(plain) else None)
