"""Methods `__enter__` that a `with` runs on what a call makes.

Question: which `__enter__` of the project does `with Session(…):` run, and which calls make what is
entered so? Followed: calls that are items of a `with` themselves, and whose every value has the
same method. Given up on: objects that a name holds, `enter_context`, and what a call hands on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere
from dlint.ir.module import With
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Scope

_ENTER = "__enter__"


def entered_manager(context: AnalysisContext, call: ex.Call) -> Scope | None:
    """The one method that a `with` runs on what a call makes; None where it is not known."""
    if not is_entered(call):
        return None
    classes = [attributes.project_class(v) for v in context.values(call, call.scope)]
    method = context.solver.classes.method
    found = {None if cls is None else method(cls, _ENTER) for cls in classes}
    return found.pop() if len(found) == 1 else None


def calls_entering(context: AnalysisContext, method: Scope) -> Iterator[ex.Call]:
    """The calls that make what a `with` runs this `__enter__` on."""
    if method.name != _ENTER or method.owner is None:
        return
    family = context.solver.classes.family(method.owner)
    for call in calls_anywhere(context, *(cls.name for cls in family)):
        if entered_manager(context, call) is method:
            yield call


def is_entered(call: ex.Call) -> bool:
    """Whether a call makes what the `with` of its statement enters."""
    statement = call.statement
    return isinstance(statement, With) and call in statement.items
