"""Code that only a script that has failed before would run.

Question: is a function called only behind a statement of the main guard that certainly fails,
because it calls a name that nothing binds. Given up on: modules with star imports, notebooks, and
failures in functions. Budget: the main guard of the function's own module.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.faults import is_unbound
from dlint.analyses.control.path_tests import is_main_guard
from dlint.ir import walk
from dlint.ir.expressions import Call, Reference
from dlint.ir.module import Bind, Evaluate, If

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope, Statement


def is_out_of_reach(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function is called only behind a call in its script that certainly fails."""
    function = scope
    while function.parent is not None and function.parent.kind != "module":
        function = function.parent
    dead = _behind_failure(function.module) if function.kind == "function" else set()
    if not dead:
        return False
    callers = callers_of(context, function)
    return bool(callers) and all(call.statement in dead for call in callers)


def _behind_failure(module: ModuleIndex) -> set[Statement]:
    """The statements of the main guard behind a call of a name that nobody has bound."""
    guards = (s for s in module.body.body.statements if isinstance(s, If) and is_main_guard(s.test))
    if module.star_imports or module.is_notebook:
        return set()
    return {
        inner
        for guard in guards
        for later in dropwhile(lambda s: not _fails(s), guard.then.statements)
        for inner in (later, *(i for block in walk.blocks(later) for i in walk.statements(block)))
    }


def _fails(statement: Statement) -> bool:
    """Whether a statement calls a name that is bound nowhere in its module."""
    value = statement.value if isinstance(statement, Bind | Evaluate) else None
    if not isinstance(value, Call) or not isinstance(value.function, Reference):
        return False
    return is_unbound(value.function, value.scope.module)
