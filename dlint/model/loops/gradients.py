"""Whether code runs with gradients switched off: `torch.no_grad()`, `torch.inference_mode()`.

Followed: the statement's own `with`, also of a `contextmanager` of the project, its function's
decorators, and those of every known caller; for a block, whether a part of it does so.
Given up on: `set_grad_enabled`, and managers that are bound to a name before they are entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import on_every_path
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import With
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import Block, Scope, Statement

_SWITCHES = frozenset({"no_grad", "inference_mode"})


def runs_without_gradients(context: AnalysisContext, statement: Statement, scope: Scope) -> bool:
    """Whether a statement of a function runs with gradients off, whoever calls the function."""
    if _is_switched_off(context, statement, scope):
        return True

    def switched(call: ex.Call) -> tuple[ex.Call, ...]:
        return (call,) if _is_switched_off(context, call.statement, call.scope) else ()

    return bool(on_every_path(context, scope, switched))


def switches_gradients_off(block: Block) -> bool:
    """Whether some of a block's statements run with gradients off, whatever runs the block."""
    return any(
        isinstance(statement, With) and any(map(_switches_off, statement.items))
        for statement in walk.statements(block)
    )


def computed_without_gradients(context: AnalysisContext, span: Span, scope: Scope) -> bool:
    """Whether an expression of a function is computed with gradients off."""
    around = [s for s in walk.statements(scope.body) if s.span[0] <= span[0] < s.span[1]]
    return bool(around) and runs_without_gradients(context, around[-1], scope)


def switches_off_inside(body: Block) -> bool:
    """Whether a block switches gradients off for a part of it: `with torch.no_grad(): …`."""
    inside = (s for s in walk.statements(body) if isinstance(s, With))
    return any(_switches_off(manager) for statement in inside for manager in statement.items)


def function_switches_off(scope: Scope) -> bool:
    """Whether a function switches gradients off, for itself or for a part of it."""
    return any(map(_switches_off, scope.decorators)) or switches_off_inside(scope.body)


def _is_switched_off(context: AnalysisContext, statement: Statement, scope: Scope) -> bool:
    around = (outer for outer in walk.ancestors(statement) if isinstance(outer, With))
    managers = [item for outer in around for item in outer.items]
    if any(map(_switches_off, (*managers, *scope.decorators))):
        return True
    return any(_is_inside_switch(context, item) for item in managers)


def _is_inside_switch(context: AnalysisContext, manager: ex.Expression) -> bool:
    """Whether a `contextmanager` of the project yields with gradients off, wherever it does."""
    made = callees_of(context, manager) if isinstance(manager, ex.Call) else []
    return bool(made) and all(one.yields and _yields_without(one) for one in made)


def _yields_without(scope: Scope) -> bool:
    yielding = [
        statement
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        if any(isinstance(part, ex.Yield) for part in walk.walk(expression))
    ]
    around = [[o for o in walk.ancestors(s) if isinstance(o, With)] for s in yielding]
    return all(any(_switches_off(i) for o in outer for i in o.items) for outer in around)


def _switches_off(manager: ex.Expression) -> bool:
    """Whether a context manager, or a decorator, is `no_grad` or `inference_mode`."""
    return any(
        part.own_name in _SWITCHES
        for part in walk.walk(manager)
        if isinstance(part, ex.Attribute | ex.Reference)
    )


def is_plain(context: AnalysisContext, scope: Scope) -> bool:
    """Whether no decorator of the project changes a function."""
    return all(is_of_library_value(context, d, scope) for d in scope.decorators)


def is_of_library_value(context: AnalysisContext, made: ex.Expression, scope: Scope) -> bool:
    """Whether a decorator or a manager is a library's, by its name or as what a call makes."""
    if isinstance(made, ex.Call):
        return bool(library_callees(context, made))
    values = context.values(made, scope)
    return bool(values) and all(isinstance(value, External) for value in values)
