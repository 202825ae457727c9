"""Whether a module is a script: whether it does something of its own when it is run."""

from __future__ import annotations

from dlint.analyses.control.path_tests import is_main_guard
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Bind, Evaluate, If, Loop, ModuleIndex, Scope, Statement, With
from dlint.ir.walk import bindings_of
from dlint.library_facts.entry_names import PROGRAM_WIDE


def is_code(module: ModuleIndex) -> bool:
    """Whether a module is one that can be run by itself: no notebook, no config, no package."""
    is_package = module.path.endswith("__init__.py")
    return not (module.is_notebook or module.dialect is not None or is_package)


@told_by_code
def is_started(module: ModuleIndex) -> bool:
    """Whether a module says what is done when it is run: under a guard, or by its functions.

    A function that only sets libraries up, as modules do that are there to be imported, says none.
    """
    return is_code(module) and any(
        (isinstance(s, If) and is_main_guard(s.test))
        or (isinstance(s, Evaluate) and _calls_own(s))
        or (isinstance(s, Loop) and any(map(_calls_own, walk.statements(s.body))))
        for s in module.body.body.statements
    )


@told_by_code
def does_something(module: ModuleIndex) -> bool:
    """Whether a module does more at its top than to define, import and bind: it may be a script."""
    return is_code(module) and any(
        isinstance(s, Loop | With)
        or (isinstance(s, Evaluate) and isinstance(s.value, ex.Call))
        or (isinstance(s, If) and is_main_guard(s.test))
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
    made = callee.definition.value
    return isinstance(made, ex.FunctionValue) and not _only_sets_up(made.function)


def _only_sets_up(function: Scope) -> bool:
    """Whether a function, and what it calls, sets libraries up: tests and names for that, too."""
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop()
        if not one.calls or any(
            not isinstance(s, Evaluate | If | Bind) for s in walk.statements(one.body)
        ):
            return False
        for call in one.calls:
            own = _defined(call.function, call)
            if len(own) == 1 and not call.arguments:
                further = [f for f in own if f not in seen]
                seen.update(further)
                waiting += further
            elif not _sets_up(call):
                return False
    return True


def _defined(name: ex.Expression, call: ex.Call) -> list[Scope]:
    """The functions at the top of the module that a name may be."""
    text = name.name if isinstance(name, ex.Reference) else ""
    values = (d.value for d in bindings_of(call.scope.module.body, text))
    return [value.function for value in values if isinstance(value, ex.FunctionValue)]


def _sets_up(call: ex.Call) -> bool:
    """Whether a call is of such a library, and is given nothing that the module defines."""
    bindings = call.scope.module.body.bindings
    given = (p for a in call.arguments for p in walk.walk(a.value) if isinstance(p, ex.Reference))
    defined = (d.value for name in given for d in bindings(name.name))
    if any(isinstance(value, ex.FunctionValue | ex.ClassValue) for value in defined):
        return False
    callee = call.function
    while isinstance(callee, ex.Attribute):
        callee = callee.value
    name = callee.name if isinstance(callee, ex.Reference) else ""
    sources = [d.value for d in bindings(name)]
    return bool(sources) and all(map(_is_set_up, sources))


def _is_set_up(source: ex.Expression) -> bool:
    """Whether something is imported from a library that modules set up for the whole program."""
    if not isinstance(source, ex.Imported) or source.level:
        return False
    return source.module.partition(".")[0] in PROGRAM_WIDE
