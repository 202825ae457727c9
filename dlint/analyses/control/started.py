"""Whether a module is a script: whether it does something of its own when it is run."""

from __future__ import annotations

from dlint.analyses.control.path_tests import is_main_guard
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Loop, ModuleIndex, Statement


def is_started(module: ModuleIndex) -> bool:
    """Whether a module says what is done when it is run: under a guard, or by its functions."""
    if module.is_notebook or module.dialect is not None or module.path.endswith("__init__.py"):
        return False
    return any(
        (isinstance(s, If) and is_main_guard(s.test))
        or (isinstance(s, Evaluate) and _calls_own(s))
        or (isinstance(s, Loop) and any(map(_calls_own, walk.statements(s.body))))
        for s in module.body.body.statements
    )


def _calls_own(statement: Statement) -> bool:
    """Whether a statement calls a function that the module itself defines."""
    call = statement.value if isinstance(statement, Bind | Evaluate) else None
    callee = call.function if isinstance(call, ex.Call) else None
    if not isinstance(callee, ex.Reference) or callee.definition is None:
        return False
    return isinstance(callee.definition.value, ex.FunctionValue)
