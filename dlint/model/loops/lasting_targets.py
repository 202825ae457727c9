"""What a function that each round of a loop calls adds to, and whether it outlives the round.

Question: is the total or list that such a function adds to one of before the loop: an attribute of
the object whose method it is, an attribute or item of an argument, or an argument that is a list?
Followed: one call deep. Given up on: what the function has made itself, objects of one round, and
attributes of a name that something which the loop calls empties or writes anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.callees import is_self
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.repetition import contains
from dlint.analyses.value_parts import root_of, table_of
from dlint.ir import expressions as ex
from dlint.ir.module import Bind
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.growing_values import (
    EMPTYING,
    added_up,
    begins_anew,
    deleted_parts,
    holder_of,
    is_emptied,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.loops.step_functions import StepFunction


def outlives_round(
    target: ex.Expression, statement: Statement, step: StepFunction, loop: BatchLoop
) -> bool:
    """Whether what a statement of a step's function adds to is there before the loop begins."""
    root = holder_of(target)
    if isinstance(root, ex.Attribute):
        owner = _outside(loop.context, root.value, step)
        if owner is None or loop.body is None or not _is_before(owner, loop):
            return False
        name = ex.spelled(owner)
        anew = name is None or begins_anew(name, step.call.statement, loop.body)
        return not anew and not is_renewed_attribute(root.name, statement, step.scope, loop)
    given = _outside(loop.context, root, step)
    if given is None or loop.body is None or (root is target and _is_bound(statement)):
        return False
    return _is_before(given, loop) and not is_emptied(given, step.call.statement, loop.body)


def is_renewed_attribute(name: str, kept: Statement, scope: Scope, loop: BatchLoop) -> bool:
    """Whether the loop, the function, or what the loop calls writes an attribute, or empties it.

    Attributes are told apart by their names alone. `kept` is the statement that adds to it.
    """
    below = list(calls_below(loop.context, () if loop.body is None else calls_in(loop.body)))
    if any(call.name == "setattr" for call in below):
        return True
    emptied = (c.function for c in below if c.name in EMPTYING)
    changed = [callee.value for callee in emptied if isinstance(callee, ex.Attribute)]
    scopes = {scope, *(call.scope for call in below)} - {loop.scope}
    blocks = [*([] if loop.body is None else [loop.body]), *(each.body for each in scopes)]
    changed += [part for block in blocks for part in deleted_parts(block)]
    inside = [s for s in loop.scope.stores if contains(loop.statement.span, s.span)]
    for store in (*inside, *(s for each in scopes for s in each.stores)):
        is_slot = isinstance(store.target, ex.Subscript)
        if store.statement is not kept and not (is_slot and added_up(store.statement)):
            changed.append(store.target)
    return any(isinstance(c, ex.Attribute) and c.name == name for c in map(table_of, changed))


def _is_bound(statement: Statement) -> bool:
    """Whether a statement binds a name, which nobody outside sees."""
    return isinstance(statement, Bind) and bool(statement.definitions)


def _outside(
    context: AnalysisContext, owner: ex.Expression, step: StepFunction
) -> ex.Expression | None:
    """What the caller names what is `self` or a parameter of a step's function."""
    if is_self(owner, step.scope):
        callee = step.call.function
        return callee.value if isinstance(callee, ex.Attribute) else None
    made = ex.unnamed(owner)
    bound = bind(context, step.call) if isinstance(made, ex.Parameter) else None
    return bound.get(made.name) if bound is not None and isinstance(made, ex.Parameter) else None


def _is_before(given: ex.Expression, loop: BatchLoop) -> bool:
    """Whether something is named that a loop does not make in each round."""
    whole = root_of(given)
    if not isinstance(whole, ex.Reference):
        return False
    (first, last), made = loop.statement.span, whole.definition
    return made is None or not first <= made.span[0] < last
