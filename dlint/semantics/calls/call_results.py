"""The results of calls: what a callee of each kind gives its caller.

Question: what may a call denote? Followed: functions and methods of the project, each call in a
frame of its own; constructors, partials, objects with `__call__`, defaults that fields are
declared with, and what `externals` and `members` know of libraries. A generator function gives an
iterator. Anything else that is called is Unknown. Bounded by the solver's budget and by the depth
at which frames are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from dlint.ir.expressions import Attribute, Call
from dlint.ir.module import Scope
from dlint.library_facts import declared_fields
from dlint.library_facts.declared_fields import Declaring
from dlint.library_facts.passthrough import ALTERNATIVE_CONSTRUCTORS
from dlint.semantics.calls import attributes, calls, externals, members
from dlint.semantics.calls.binding import argument_for, through_partial
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, CallSite
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Generated,
    Instance,
    Literal,
    Method,
    Partial,
    Value,
)


def call(solver: Solver, expression: Call, frame: CallContext, node: ConstraintNode) -> None:
    """The result of a call flows into `node`, for each value that the callee may be."""
    site = CallSite(expression, CallArguments.of(expression.arguments, frame), frame)
    callee = expression.function
    applied = _Applied(solver, site, node)
    if isinstance(callee, Attribute):
        solver.watch(solver.evaluate(callee.value, frame), _MemberApplied(applied, callee.name))
    else:
        solver.watch(solver.evaluate(callee, frame), applied)


@dataclass(eq=False, slots=True)
class _Applied:
    """Lets what a call of a value returns flow into a node.

    Large programs have fifty thousand: a function and its cells would take six times as much.
    """

    solver: Solver
    site: CallSite
    node: ConstraintNode

    def __call__(self, value: Value) -> None:
        _apply(self.solver, value, self.site, self.node)


@dataclass(eq=False, slots=True)
class _MemberApplied:
    """The same of a member of a value."""

    applied: _Applied
    name: str

    def __call__(self, value: Value) -> None:
        solver, site, node = self.applied.solver, self.applied.site, self.applied.node
        if _is_made_otherwise(value, self.name, solver):
            _construct(solver, value, calls.with_unknown_arguments(site), node)
        elif not members.call(solver, value, self.name, site, node):
            solver.watch(solver.member(value, self.name), self.applied)


def _is_made_otherwise(value: Value, name: str, solver: Solver) -> TypeGuard[ClassObject]:
    """Whether a class has from a library what makes an object of it: `from_pretrained`."""
    if name not in ALTERNATIVE_CONSTRUCTORS or not isinstance(value, ClassObject):
        return False
    own = solver.classes.method(value.cls, name) is not None
    return not own and bool(solver.classes.externals(value.cls))


def _apply(solver: Solver, callee: Value, site: CallSite, node: ConstraintNode) -> None:
    """What calling `callee` returns flows into `node`."""
    match callee:
        case FunctionObject() | Method():
            _returned(solver, callee.scope, calls.enter(solver, callee, site), node)
        case ClassObject():
            _construct(solver, callee, site, node)
        case External(path=path) if path in declared_fields.FIELDS:
            _declared(solver, declared_fields.FIELDS[path], site, node)
        case External():
            externals.call(solver, callee, site, node)
        case Partial():
            _partial(solver, callee, site, node)
        case Instance() | AllocationSite():
            _object(solver, callee, site, node)
        case Literal(value=None):
            solver.unless_filled(node)  # None cannot be called: there is another value
        case _:
            solver.add(node, UNKNOWN)


def _declared(solver: Solver, declaring: Declaring, site: CallSite, node: ConstraintNode) -> None:
    """The default of a field that a class declares; Unknown where it has none."""
    factory = site.arguments.keyword(declaring.factory)
    default = argument_for(site.arguments, declaring.default, "default").expression
    empty = site._replace(arguments=CallArguments(()))
    if factory is not None:
        made = solver.evaluate(factory[0].value, factory[1])
        solver.watch(made, lambda value: _apply(solver, value, empty, node))
    elif default is not None:
        solver.connect(solver.evaluate(*default), node)
    else:
        solver.add(node, UNKNOWN)


def _construct(solver: Solver, callee: ClassObject, site: CallSite, node: ConstraintNode) -> None:
    """An object of a project class; loaders, samplers and what may wrap them are told apart."""
    if solver.classes.is_attribute_dict(callee.cls):
        solver.add(node, Container(site.call, site.context))
        return
    if not calls.is_told_apart(solver, callee):
        solver.add(node, Instance(callee.cls, exact=True))
        return
    made = AllocationSite(site.call, site.context, callee)
    solver.passed[made] = site.arguments
    solver.add(node, made)


def _returned(solver: Solver, scope: Scope, frame: CallContext, node: ConstraintNode) -> None:
    """What an activation of `scope` gives its caller."""
    if scope.yields:
        solver.add(node, Generated(scope, frame))
        return
    for value in scope.returns:
        solver.connect(solver.evaluate(value, frame), node)


def _partial(
    solver: Solver,
    partial: Partial,
    site: CallSite,
    node: ConstraintNode,
    around: frozenset[Partial] = frozenset(),
) -> None:
    """What the function behind a partial returns; one that is bound to itself adds nothing."""
    bound = solver.passed[partial]
    merged = site._replace(arguments=through_partial(bound, site.arguments.arguments))
    around |= {partial}

    def apply_to(value: Value) -> None:
        if not isinstance(value, Partial):
            _apply(solver, value, merged, node)
        elif value not in around:
            _partial(solver, value, merged, node, around)

    function, frame = bound.arguments[0]
    solver.watch(solver.evaluate(function.value, frame), apply_to)


def _object(
    solver: Solver, value: Instance | AllocationSite, site: CallSite, node: ConstraintNode
) -> None:
    """Calling an object; what a torch module computes is no batch any more."""
    cls = attributes.project_class(value)
    method = None if cls is None else solver.classes.method(cls, "__call__")
    if method is None:
        solver.add(node, UNKNOWN)
    else:
        _returned(solver, method, calls.enter(solver, Method(method, value), site), node)
