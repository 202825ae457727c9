"""What dicts hold that make their items when these are first asked for.

Question: what does `meters["loss"]` denote, of a `defaultdict(Meter)`, or of a dict of the project
that has a method `__missing__`? Followed: a factory that is a class or a function of the project,
what `__missing__` returns, and what it writes to the dict itself. Given up on: factories of other
libraries, and items that somebody else puts there. Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    FunctionObject,
    Instance,
    Value,
    library_path,
)

_MAKING = "collections.defaultdict"
_DICTS = frozenset({"builtins.dict", "collections.OrderedDict", "collections.UserDict", _MAKING})


def flow(solver: Solver, value: AllocationSite | Instance, node: ConstraintNode) -> bool:
    """Whether an object is such a dict; if so, what it makes flows into `node`."""
    if isinstance(value, AllocationSite) and library_path(value) == _MAKING:
        return _by_factory(solver, value, node)
    cls = attributes.project_class(value)
    missing = None if cls is None else solver.classes.method(cls, "__missing__")
    if cls is None or missing is None or not _DICTS & set(solver.classes.externals(cls)):
        return False
    frame = solver.root(missing)
    for made in missing.returns:
        if not _is_own_item(made, missing):
            solver.connect(solver.evaluate(made, frame), node)
    for store in missing.stores:
        if _is_own_item(store.target, missing):
            solver.connect(solver.evaluate(store.value, frame), node)
    return True


def _by_factory(solver: Solver, value: AllocationSite, node: ConstraintNode) -> bool:
    """What the factory of a `defaultdict` gives, where it is of the project."""
    passed = solver.passed.get(value)
    given = None if passed is None else argument_for(passed, 0, None).expression
    if given is None:
        return False
    solver.watch(solver.evaluate(*given), lambda factory: _made(solver, factory, node))
    return True


def _made(solver: Solver, factory: Value, node: ConstraintNode) -> None:
    if isinstance(factory, ClassObject) and not calls.is_told_apart(solver, factory):
        solver.add(node, Instance(factory.cls, exact=True))
    elif isinstance(factory, FunctionObject) and not factory.scope.yields:
        for made in factory.scope.returns:
            solver.connect(solver.evaluate(made, solver.root(factory.scope)), node)
    else:
        solver.add(node, UNKNOWN)


def _is_own_item(item: ex.Expression, scope: Scope) -> bool:
    """Whether it is an item of the dict whose method this is: `self[key]`."""
    if not isinstance(item, ex.Subscript):
        return False
    return attributes.class_of_self(item.value, scope) is not None
