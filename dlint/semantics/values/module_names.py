"""What a module or a class holds under a name that is computed: `getattr(nets, name)`.

Question: what may be found in a module by any name, or by going through all of them? Its own
classes and functions, or, of a package that has none, those that it imports; no classes that are
abstract, for what is looked up is to be used. A loop over all names tests what it finds, so nothing
else is meant there; elsewhere it may be anything else that the module binds. In a class: all that
its body and those of its ancestors bind. Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir.expressions import ClassValue, Expression, FunctionValue, Imported
from dlint.ir.module import Class, ModuleIndex
from dlint.ir.walk import lasting
from dlint.semantics.calls.attributes import decorators
from dlint.semantics.values.solver import ConstraintNode, Key, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    ClassObject,
    FunctionObject,
    ModuleValue,
)


def item(
    solver: Solver, value: ModuleValue, key: Key, node: ConstraintNode, *, optional: bool
) -> None:
    """What stands under a name of a module, or under any of them."""
    if isinstance(key, str):
        solver.attribute(value, key, node)
        return
    for found in _defined(solver, value.module):
        solver.add(node, found)
    solver.unless_filled(node)


def any_name(solver: Solver, value: ModuleValue, node: ConstraintNode) -> None:
    """What stands under a name that is computed, where nobody tests what it is."""
    item(solver, value, None, node, optional=False)
    if any(_is_other(definition.value) for definition in lasting(value.module.body)):
        solver.add(node, UNKNOWN)


def any_of_class(solver: Solver, value: ClassObject, node: ConstraintNode) -> None:
    """What a class holds under a name that is computed: `getattr(Trainers, name)`."""
    for owner in solver.classes.ancestors(value.cls):
        for name in dict.fromkeys(definition.name for definition in lasting(owner.body)):
            solver.attribute(value, name, node)
    if not solver.classes.is_whole(value.cls):
        solver.add(node, UNKNOWN)
    solver.unless_filled(node)


def _is_other(value: Expression) -> bool:
    return not isinstance(value, ClassValue | FunctionValue | Imported)


def _defined(solver: Solver, module: ModuleIndex) -> list[ClassObject | FunctionObject]:
    """The classes and functions of a module; else those that it imports from the project."""
    facts = solver.project.load(module.path)
    own = [d.name for d in lasting(module.body) if not isinstance(d.value, Imported)]
    found = _usable(solver, module, own)
    if found or facts is None:
        return found
    found = _usable(solver, module, [d.name for d in lasting(module.body)])
    for target in solver.names.star_targets(facts):
        taken = solver.project.load(target) if isinstance(target, str) else None
        if taken is not None:
            found += _usable(solver, taken.module, [d.name for d in lasting(taken.module.body)])
    return found


def homes(solver: Solver, module: ModuleIndex) -> set[str]:
    """The files that define what stands in a module under a name that is computed."""
    found = _defined(solver, module)
    scopes = (v.cls.body if isinstance(v, ClassObject) else v.scope for v in found)
    return {scope.module.path for scope in scopes}


def _usable(
    solver: Solver, module: ModuleIndex, names: list[str]
) -> list[ClassObject | FunctionObject]:
    """The functions of the project, and classes that objects can be made of, by their names."""
    values = (v for name in dict.fromkeys(names) for v in solver.names.exported(module.path, name))
    return [
        value
        for value in values
        if isinstance(value, FunctionObject)
        or (isinstance(value, ClassObject) and not is_abstract(solver, value.cls))
    ]


def is_abstract(solver: Solver, cls: Class) -> bool:
    """Whether a class leaves a method to those that derive from it."""
    return any(
        "abstractmethod" in decorators(method) and solver.classes.method(cls, name) is method
        for ancestor in solver.classes.ancestors(cls)
        for name, method in ancestor.methods.items()
    )
