"""Calls: what they return, and what the parameters of their callees hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir.expressions import Attribute, Call, Parameter
from dlint.library_facts import samplers
from dlint.library_facts.loaders import THREADED
from dlint.semantics.calls import arguments, attributes, externals, members
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    External,
    FunctionObject,
    Generated,
    Instance,
    Method,
    Partial,
    Value,
    VarArgs,
)

if TYPE_CHECKING:
    from dlint.ir.module import ParameterSpec, Scope
    from dlint.semantics.values.solver import ConstraintNode, Solver


def call(solver: Solver, expression: Call, frame: CallContext, node: ConstraintNode) -> None:
    """The result of a call flows into `node`, for each value that the callee may be."""
    passed = CallArguments(tuple((argument, frame) for argument in expression.arguments))
    callee = expression.function

    def apply_to(value: Value) -> None:
        apply(solver, value, expression, passed, frame, node)

    if not isinstance(callee, Attribute):
        solver.watch(solver.evaluate(callee, frame), apply_to)
        return

    def member_of(value: Value) -> None:
        if not members.call(solver, value, callee.name, expression, passed, frame, node):
            member = solver.node(
                ("member", value, callee.name),
                lambda made: attributes.read(solver, value, callee.name, made),
            )
            solver.watch(member, apply_to)

    solver.watch(solver.evaluate(callee.value, frame), member_of)


def apply(
    solver: Solver,
    callee: Value,
    expression: Call,
    passed: CallArguments,
    frame: CallContext,
    node: ConstraintNode,
) -> None:
    """What calling `callee` returns flows into `node`."""
    match callee:
        case FunctionObject():
            entered = solver.frames.enter(callee.scope, expression, passed, frame, callee.closure)
            results(solver, callee.scope, entered, node)
        case Method():
            entered = solver.frames.enter(
                callee.scope, expression, passed, frame, None, callee.receiver
            )
            results(solver, callee.scope, entered, node)
        case ClassObject():
            _construct(solver, callee, expression, passed, frame, node)
        case External():
            externals.call(solver, callee, expression, passed, frame, node)
        case Partial():
            _partial(solver, callee, expression, passed, frame, node)
        case Instance() | AllocationSite():
            _object(solver, callee, expression, passed, frame, node)
        case _:
            solver.add(node, UNKNOWN)


def _construct(
    solver: Solver,
    callee: ClassObject,
    expression: Call,
    passed: CallArguments,
    frame: CallContext,
    node: ConstraintNode,
) -> None:
    """An object of a project class; loaders, samplers and what may wrap them are told apart."""
    if not is_told_apart(solver, callee):
        solver.add(node, Instance(callee.cls, exact=True))
        return
    made = AllocationSite(expression, frame, callee)
    solver.passed[made] = passed
    solver.add(node, made)


def is_told_apart(solver: Solver, value: Value) -> bool:
    """Whether the objects that a callable makes matter one by one: loaders, samplers, wrappers."""
    sampler = arguments.signature(solver, value, samplers.DISTRIBUTED)
    if makes_loader(solver, value) or sampler is not None:
        return True
    return isinstance(value, ClassObject) and solver.classes.is_iterator(value.cls)


def results(solver: Solver, scope: Scope, frame: CallContext, node: ConstraintNode) -> None:
    """What an activation of `scope` gives its caller."""
    if scope.yields:
        solver.add(node, Generated(scope, frame))
        return
    for value in scope.returns:
        solver.connect(solver.evaluate(value, frame), node)


def _partial(
    solver: Solver,
    partial: Partial,
    expression: Call,
    passed: CallArguments,
    frame: CallContext,
    node: ConstraintNode,
    around: frozenset[Partial] = frozenset(),
) -> None:
    """What the function behind a partial returns; one that is bound to itself adds nothing."""
    bound = solver.passed[partial].arguments
    merged = CallArguments((*bound[1:], *passed.arguments))
    around |= {partial}

    def apply_to(value: Value) -> None:
        if not isinstance(value, Partial):
            apply(solver, value, expression, merged, frame, node)
        elif value not in around:
            _partial(solver, value, expression, merged, frame, node, around)

    solver.watch(solver.evaluate(bound[0][0].value, bound[0][1]), apply_to)


def _object(
    solver: Solver,
    value: Instance | AllocationSite,
    expression: Call,
    passed: CallArguments,
    frame: CallContext,
    node: ConstraintNode,
) -> None:
    """Calling an object; what a torch module computes is no batch any more."""
    cls = attributes.project_class(value)
    method = None if cls is None else solver.classes.method(cls, "__call__")
    if method is None:
        solver.add(node, UNKNOWN)
        return
    entered = solver.frames.enter(method, expression, passed, frame, None, value)
    results(solver, method, entered, node)


def is_loader(solver: Solver, value: Value) -> bool:
    """Whether a value is a torch DataLoader, a drop-in or an object of a subclass."""
    return isinstance(value, AllocationSite) and makes_loader(solver, value.origin)


def is_threaded(value: Value) -> bool:
    """Whether a value is a loader that makes its batches ahead in a thread."""
    if not isinstance(value, AllocationSite) or not isinstance(value.origin, External):
        return False
    return value.origin.path in THREADED


def makes_loader(solver: Solver, value: Value) -> bool:
    """Whether calling a value makes a torch DataLoader, a drop-in or an object of a subclass."""
    return arguments.signature(solver, value) is not None


def argument(solver: Solver, made: AllocationSite, name: str) -> ConstraintNode | None:
    """The node of one argument of torch's constructor, as `made` was made with it."""
    found = arguments.construction(solver, made)
    if found is None:
        return None
    passed, positional = found
    position = positional.index(name) if name in positional else None

    def generate(node: ConstraintNode) -> None:
        arguments.give(solver, passed, position, name, node)

    return solver.node(("argument", made, name), generate)


def parameter(
    solver: Solver, expression: Parameter, frame: CallContext, node: ConstraintNode
) -> None:
    """What a parameter holds: in a root frame, over all calls of the function."""
    scope = frame.scope
    index = next((i for i, s in enumerate(scope.parameters) if s.name == expression.name), None)
    if index is None:
        solver.add(node, UNKNOWN)
        return
    spec = scope.parameters[index]
    settings = solver.config_files.of_main(scope) if index == 0 and scope.decorators else None
    if settings is not None:
        solver.add(node, settings)
    elif frame.call is not None:
        bound(solver, frame, spec, index, node)
    elif index == 0 and takes_receiver(scope):
        owner = scope.owner
        assert owner is not None
        of_class = "classmethod" in attributes.decorators(scope)
        solver.add(node, ClassObject(owner) if of_class else Instance(owner))
    else:
        solver.callers.of_parameter(scope, spec, index, node)


def takes_receiver(scope: Scope) -> bool:
    """Whether the first parameter is `self` or `cls`."""
    return scope.owner is not None and "staticmethod" not in attributes.decorators(scope)


def bound(
    solver: Solver, frame: CallContext, spec: ParameterSpec, index: int, node: ConstraintNode
) -> None:
    """What one activation's parameter holds."""
    passed = frame.passed
    assert passed is not None
    shift = 1 if frame.receiver is not None else 0
    if frame.receiver is not None and index == 0:
        solver.add(node, frame.receiver)
    elif spec.kind in ("star", "starstar"):
        solver.add(node, VarArgs(frame, spec.name))
    else:
        position = None if spec.kind == "keyword" else index - shift
        if not arguments.give(solver, passed, position, spec.name, node):
            default(solver, frame.scope, spec, node)


def default(solver: Solver, scope: Scope, spec: ParameterSpec, node: ConstraintNode) -> None:
    """The default of a parameter, or Unknown where it has none."""
    if spec.default is None:
        solver.add(node, UNKNOWN)
        return
    outer = scope.owner.body if scope.owner is not None else scope.parent
    solver.connect(solver.evaluate(spec.default, solver.root(outer or scope)), node)
