"""Attributes that nothing defines: to read one raises AttributeError.

Question: does a read of `x.name` raise, because `x` is a class of the project, an object of one or
a module of the project, and nothing gives it such a name. Followed: classes that derive from
nothing but classes of the project, and imports that certainly mean one file. Given up on: what may
be a subclass, and parameters; classes that answer for any name, have a metaclass or decorators;
whatever makes names by text; names that some module writes to an object, or may, for it is not read
here; notebooks. Budget: the values of one expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.idle.failing_imports import FailingImports, TopImport
from dlint.ir import expressions as ex
from dlint.ir.walk import bindings_of
from dlint.semantics.values.values import ClassObject, Instance, ModuleValue

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.values.values import Value

_PLAIN = frozenset({"builtins.object", "abc.ABC"})
_ANSWERING = ("__getattr__", "__getattribute__", "__init_subclass__")
_MAKING = ("setattr(", "__dict__", "vars(", "exec(", "locals(", "metaclass")


def absent_attribute(context: AnalysisContext, scope: Scope, read: ex.Attribute) -> str | None:
    """Why an attribute cannot be read, as the end of a sentence; None where it may be."""
    if read.name.startswith("__") or hasattr(type, read.name) or scope.module.is_notebook:
        return None
    if isinstance(ex.unnamed(read.value), ex.Parameter):
        return None
    found = context.values(read.value, scope)
    if not found or not all(_lacks(context, scope, read, value) for value in found):
        return None
    if _may_be_written(context, scope, read.name):
        return None
    return f"nothing defines an attribute `{read.name}`"


def _lacks(context: AnalysisContext, scope: Scope, read: ex.Attribute, value: Value) -> bool:
    match value:
        case ClassObject(cls=cls) | Instance(cls=cls, exact=True):
            return _lacks_name(context, cls, read.name)
        case ModuleValue():
            return _is_of_module(context, scope, read)
    return False


def _lacks_name(context: AnalysisContext, cls: Class, name: str) -> bool:
    """Whether neither a class nor what it derives from binds a name, or may answer for it."""
    classes, project = context.solver.classes, context.project
    if not classes.is_whole(cls) or not _PLAIN.issuperset(classes.externals(cls)):
        return False
    for ancestor in classes.ancestors(cls):
        if ancestor.decorators or project.holding(ancestor.body.module.path, _MAKING):
            return False
        if any(bindings_of(ancestor.body, bound) for bound in (name, *_ANSWERING)):
            return False
    return True


def _is_of_module(context: AnalysisContext, scope: Scope, read: ex.Attribute) -> bool:
    """Whether an attribute is read of a module that certainly has none of this name."""
    name = read.value.name if isinstance(read.value, ex.Reference) else ""
    bound = [d.value for s in scope.module.scopes for d in bindings_of(s, name)]
    source = bound[0] if len(bound) == 1 else None
    if not isinstance(source, ex.Imported):
        return False
    module = ".".join(filter(None, (source.module, source.name)))
    imported = TopImport(module, source.level, (read.name,))
    return context[FailingImports].lacks(scope.module.path, imported)


def _may_be_written(context: AnalysisContext, scope: Scope, name: str) -> bool:
    """Whether code gives a name to some object, or is not read here and may."""
    project = context.project
    if project.writing(name) or project.holding(scope.module.path, _MAKING):
        return True
    holders = project.words.holders_in(project.files, name.encode())
    return not all(project.is_loaded(holder) for holder in holders)
