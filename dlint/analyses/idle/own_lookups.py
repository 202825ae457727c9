"""Modules that may find what they hold, or bind names, without naming them.

Questions: does code of a module look its own names up: by `globals()`, `locals()`, `vars()`, `eval`
and `exec`, in `sys.modules`, or in the `__dict__` of what may be a module; does it bind such names:
by the same, by `setattr` of a module, or through `builtins`. Attributes of other objects
(`vars(args)`, `self.__dict__`) are no names of a module, and what an import gives is another one,
whose names are looked up (`models.__dict__[arch]`) and not bound. Given up on: modules that a
function is handed. Read off the module, where its text speaks of one of these at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.analyses.idle.spoken_names import parts_of
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.ir.walk import binding_scope, bindings_of

if TYPE_CHECKING:
    from dlint.ir.module import ModuleIndex, Scope
    from dlint.semantics.project import Project

_SPEAKS_OF = lazily(
    rb"^[^#\n]*?(?<![\w.])(?<!def )(?:globals|locals|vars|eval|exec)\s*\(|sys\.modules|__dict__",
    re.M,
)
"""How a module finds what it holds without naming it; methods may be called `eval`, too."""
_BY_TEXT = frozenset({"globals", "locals", "eval", "exec"})
_OF_OBJECT = frozenset({"vars", "dir"})
_IMPORTING = frozenset({"import_module", "__import__", "reload", "getmodule"})
_BINDING = (
    "globals(",
    "locals(",
    "exec(",
    "builtins",
    "__dict__",
    "vars(",
    "setattr(",
    "sys.modules",
    "modules[",
    "globals",
    "f_globals",
    "f_locals",
    "gettext",
)
"""How a module binds names without naming them."""
_NAMESPACES = frozenset({"__globals__", "f_globals", "f_locals"})
"""Attributes of functions and frames that hold the names of a module."""
_FOR_ALL = frozenset({"builtins", "__builtins__", "__main__"})
"""Modules whose names others see."""


def looks_itself_up(project: Project, module: ModuleIndex) -> bool:
    """Whether code of a module may find what that holds without naming it."""
    return project.says(module.path, _SPEAKS_OF) and finds_own_names(module)


@told_by_code
def finds_own_names(module: ModuleIndex) -> bool:
    """Whether calls and attributes of a module may give its own names."""
    return any(
        any(map(_asks_for_names, scope.calls))
        or any(_is_of_module(part, scope) for part in parts_of(scope))
        for scope in module.scopes
    )


def may_bind_by_text(project: Project, module: ModuleIndex) -> bool:
    """Whether code of a module may bind names of it without naming them."""
    return bool(project.holding(module.path, _BINDING)) and binds_own_names(module)


@told_by_code
def binds_own_names(module: ModuleIndex) -> bool:
    """Whether calls and attributes of a module may bind its own names, or those of Python."""
    return any(
        any(map(_may_bind, scope.calls))
        or any(_is_own_namespace(part, scope) for part in parts_of(scope))
        for scope in module.scopes
    )


def _may_bind(call: ex.Call) -> bool:
    """Whether a call of one of Python's functions may bind names of its module."""
    if not isinstance(call.function, ex.Reference):
        return False
    if call.function.name == "setattr" or call.function.name in _OF_OBJECT:
        first = next((argument.value for argument in call.arguments), None)
        return first is None or _may_be_own(first, call.scope)
    return _asks_for_names(call)


def _is_own_namespace(part: ex.Expression, scope: Scope) -> bool:
    """Whether an expression gives a module of which names may be bound, or what it holds."""
    if isinstance(part, ex.Reference):
        return part.name in _FOR_ALL or part.name == "globals"
    if isinstance(part, ex.Imported):
        return part.module.rpartition(".")[2] in _FOR_ALL
    if not isinstance(part, ex.Attribute):
        return False
    if part.name in _NAMESPACES:
        return True
    if part.name == "modules":
        return _may_be_module(part.value, scope)
    if part.name != "__dict__":
        return False
    return isinstance(part.value, ex.Call) or _may_be_own(part.value, scope)


def _may_be_own(value: ex.Expression, scope: Scope) -> bool:
    """Whether an expression may be the module in which it stands: no import of another gives it."""
    if isinstance(value, ex.Reference):
        binder = binding_scope(scope, value.name)
        bound = [] if binder is None else [d.value for d in bindings_of(binder, value.name)]
        imported = [one.module for one in bound if isinstance(one, ex.Imported)]
        if bound and len(imported) == len(bound):
            return not _FOR_ALL.isdisjoint(imported)
    return _may_be_module(value, scope)


def _asks_for_names(call: ex.Call) -> bool:
    """Whether a call of one of Python's functions may give names of its module."""
    function = call.function
    if not isinstance(function, ex.Reference) or binding_scope(call.scope, function.name):
        return False
    if function.name in _OF_OBJECT:
        return all(_may_be_module(argument.value, call.scope) for argument in call.arguments)
    return function.name in _BY_TEXT


def _is_of_module(part: ex.Expression, scope: Scope) -> bool:
    """`sys.modules`, or the `__dict__` of what may be a module."""
    if not isinstance(part, ex.Attribute):
        return False
    return part.name == "modules" or (part.name == "__dict__" and _may_be_module(part.value, scope))


def _may_be_module(value: ex.Expression, scope: Scope) -> bool:
    """Whether an expression may be a module: what an import gives, or a name that nothing binds."""
    if isinstance(value, ex.Call):
        return value.name in _IMPORTING
    if not isinstance(value, ex.Reference):
        return isinstance(value, ex.Imported)
    binder = binding_scope(scope, value.name)
    if binder is None:
        return True
    bound = (definition.value for definition in bindings_of(binder, value.name))
    return any(not isinstance(one, ex.Reference) and _may_be_module(one, binder) for one in bound)
