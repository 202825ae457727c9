"""Keys that a dict certainly lacks: to read one raises KeyError.

Question: does `d["key"]` raise, because the dict is written out in the same module and has no such
key. Followed: displays, comprehensions over known texts and `dict(a=…)`, as a name stands for one
of them on the paths that the program's constants leave, and what the module writes to it. Given up
on: dicts that are handed on under another name, to a call or out of a function, and those of a
module whose name another file holds: others may add to them; notebooks. Budget: one walk over the
expressions of the module, once for each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.dict_keys import keys_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.semantics.values.values import Container

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope

_READING = frozenset({"items", "keys", "values", "get", "copy"})


def absent_key(context: AnalysisContext, scope: Scope, read: ex.Subscript) -> str | None:
    """Why an item cannot be read, as the end of a sentence; None where it may be."""
    name, key = read.value, ex.constant(read.index)
    if not isinstance(name, ex.Reference) or key is None or not isinstance(key.value, str):
        return None
    if name.definition is None or not _is_kept(context, scope, name.name):
        return None
    found = context.evaluator.of(name, context.solver.root(scope))
    if not found or not all(_lacks(context, one.value, scope, key.value) for one in found):
        return None
    return f"`{name.name}` has no key `{key.value}`"


def _lacks(context: AnalysisContext, made: object, scope: Scope, key: str) -> bool:
    if not isinstance(made, Container) or made.frame.scope.module is not scope.module:
        return False
    keys = keys_of(context, made)
    return keys is not None and key not in keys


def _is_kept(context: AnalysisContext, scope: Scope, name: str) -> bool:
    """Whether nobody but the code of a module writes to what a name of it holds."""
    module, project = scope.module, context.project
    if module.is_notebook or not stays_with(module, name):
        return False
    others = project.words.holders_in(project.files, name.encode()) if scope is module.body else ()
    return not set(others) - {module.path}


@told_by_code
def stays_with(module: ModuleIndex, name: str) -> bool:
    """Whether a module does nothing with what a name holds but read and write its items."""
    read = seen = 0
    for scope in module.scopes:
        if name in scope.globals | scope.nonlocals or any(p.name == name for p in scope.parameters):
            return False
        for part in walk.parts_with_lambdas(scope.body):
            read += isinstance(part, ex.Reference) and part.name == name
            seen += _is_seen(part, name)
    return read == seen


def _is_seen(part: ex.Expression, name: str) -> bool:
    match part:
        case ex.Subscript(value=ex.Reference(name=held)):
            return held == name
        case ex.Call(function=ex.Attribute(value=ex.Reference(name=held), name=method)):
            return held == name and method in _READING
    return False
