"""Calls: what kinds of objects they make, and what the parameters of their callees take.

Questions: does a call make a loader (torch's, a drop-in's, a subclass's), are the objects that it
makes told apart, what was one argument of a loader's constructor, what does a parameter of one
activation hold? Arguments are bound by `binding`; constructors of project subclasses are followed
through one `super().__init__(…)` each. Bounded by the solver's budget.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir.module import ParameterSpec, Scope
from dlint.library_facts import samplers
from dlint.library_facts.loaders import THREADED
from dlint.semantics.calls import arguments, attributes
from dlint.semantics.calls.binding import bind, bound_to, library_signature
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, CallSite
from dlint.semantics.calls.rebinding import Rebinding
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    FunctionObject,
    Method,
    Value,
    VarArgs,
    WrappedLoader,
    library_path,
)


def makes_loader(solver: Solver, value: Value) -> bool:
    """Whether calling a value makes a torch DataLoader, a drop-in or an object of a subclass."""
    return arguments.signature(solver, value) is not None


def is_loader(solver: Solver, value: Value) -> bool:
    """Whether a value is a torch DataLoader, a drop-in or an object of a subclass."""
    return isinstance(value, AllocationSite) and makes_loader(solver, value.origin)


def is_threaded(value: Value) -> bool:
    """Whether a value is a loader that makes its batches ahead in a thread."""
    return library_path(value) in THREADED


def is_told_apart(solver: Solver, value: Value) -> bool:
    """Whether the objects that a callable makes matter one by one: loaders, samplers, wrappers."""
    sampler = arguments.signature(solver, value, samplers.DISTRIBUTED)
    if makes_loader(solver, value) or sampler is not None:
        return True
    return isinstance(value, ClassObject) and solver.classes.is_iterator(value.cls)


def wrapped(solver: Solver, value: Value, by: str) -> Value:
    """A value behind a framework's `prepare`."""
    if isinstance(value, AllocationSite) and is_loader(solver, value):
        return WrappedLoader(value, by)
    return value


def argument(solver: Solver, made: AllocationSite, name: str) -> ConstraintNode | None:
    """The node of one argument of torch's constructor, as `made` was made with it."""
    found = arguments.construction(solver, made)
    if found is None:
        return None
    bound = bind(found[0], library_signature(found[1]))[name]

    def generate(node: ConstraintNode) -> None:
        arguments.give(solver, bound, node)

    return solver.node(("argument", made, name), generate)


def enter(solver: Solver, callee: FunctionObject | Method, site: CallSite) -> CallContext:
    """The activation of a function of the project that a call begins."""
    closure = callee.closure if isinstance(callee, FunctionObject) else None
    receiver = callee.receiver if isinstance(callee, Method) else None
    return solver.frames.enter(
        callee.scope, site.call, site.arguments, site.context, closure, receiver
    )


def takes_receiver(scope: Scope) -> bool:
    """Whether the first parameter is `self` or `cls`."""
    return scope.owner is not None and "staticmethod" not in attributes.decorators(scope)


def bound(
    solver: Solver, frame: CallContext, spec: ParameterSpec, index: int, node: ConstraintNode
) -> None:
    """What one activation's parameter holds."""
    taken = bound_to(frame)
    assert taken is not None
    if frame.receiver is not None and index == 0:
        solver.add(node, frame.receiver)
    elif spec.kind in ("star", "starstar"):
        solver.add(node, VarArgs(frame, spec.name))
    elif not arguments.give(solver, taken[spec.name], node):
        default(solver, frame.scope, spec, node)


def default(solver: Solver, scope: Scope, spec: ParameterSpec, node: ConstraintNode) -> None:
    """The default of a parameter, or Unknown where it has none, or a decorator may give another."""
    if spec.default is None or solver[Rebinding].fills_in(scope):
        solver.add(node, UNKNOWN)
        return
    outer = scope.owner.body if scope.owner is not None else scope.parent
    solver.connect(solver.evaluate(spec.default, solver.root(outer or scope)), node)


def unpassed(solver: Solver, scope: Scope, spec: ParameterSpec, node: ConstraintNode) -> None:
    """What a parameter holds where nobody calls its function."""
    if spec.kind in ("star", "starstar"):
        solver.add(node, UNKNOWN)
    else:
        default(solver, scope, spec, node)


def with_unknown_arguments(site: CallSite) -> CallSite:
    """A call as one whose arguments may be anything, by any name."""
    unpacked = (replace(a, keyword=None, star="**") for a in site.call.arguments[:1])
    return site._replace(arguments=CallArguments.of(unpacked, site.context))
