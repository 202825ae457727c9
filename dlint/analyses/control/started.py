"""Whether a module is a script: whether it does something of its own when it is run."""

from __future__ import annotations

from dlint.analyses.control.path_tests import is_main_guard
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Loop, ModuleIndex, Statement


def is_code(module: ModuleIndex) -> bool:
    """Whether a module is one that can be run by itself: no notebook, no config, no package."""
    is_package = module.path.endswith("__init__.py")
    return not (module.is_notebook or module.dialect is not None or is_package)


def is_started(module: ModuleIndex) -> bool:
    """Whether a module says what is done when it is run: under a guard, or by its functions."""
    return is_code(module) and any(
        (isinstance(s, If) and is_main_guard(s.test))
        or (isinstance(s, Evaluate) and _calls_own(s))
        or (isinstance(s, Loop) and any(map(_calls_own, walk.statements(s.body))))
        for s in module.body.body.statements
    )


def _calls_own(statement: Statement) -> bool:
    """Whether a statement calls a function that the module itself defines.

    As in `sys.exit(main())`, that may stand in an argument.
    """
    value = statement.value if isinstance(statement, Bind | Evaluate) else None
    if not isinstance(value, ex.Call):
        return False
    inner = (a.value for a in value.arguments) if isinstance(statement, Evaluate) else ()
    return any(isinstance(part, ex.Call) and _is_own(part) for part in (value, *inner))


def _is_own(call: ex.Call) -> bool:
    callee = call.function
    if not isinstance(callee, ex.Reference) or callee.definition is None:
        return False
    return isinstance(callee.definition.value, ex.FunctionValue)
