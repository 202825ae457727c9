"""Calls: what they return, and what the parameters of their callees hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir.expressions import Attribute, Call, Parameter
from dlint.library_facts import samplers
from dlint.library_facts.loaders import THREADED
from dlint.semantics.calls import arguments, attributes, externals, members
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.values.values import (
    UNKNOWN,
    ClassObject,
    External,
    FunctionObject,
    Generated,
    Instance,
    Made,
    Method,
    Partial,
    Rest,
    Value,
)

if TYPE_CHECKING:
    from dlint.ir.module import ParameterSpec, Scope
    from dlint.semantics.values.solver import Flow, Node


def call(flow: Flow, expression: Call, frame: Frame, node: Node) -> None:
    """The result of a call flows into `node`, for each value that the callee may be."""
    passed = Passed(tuple((argument, frame) for argument in expression.arguments))
    callee = expression.function

    def apply_to(value: Value) -> None:
        apply(flow, value, expression, passed, frame, node)

    if not isinstance(callee, Attribute):
        flow.watch(flow.evaluate(callee, frame), apply_to)
        return

    def member_of(value: Value) -> None:
        if not members.call(flow, value, callee.name, expression, passed, frame, node):
            member = flow.node(
                ("member", value, callee.name),
                lambda made: attributes.read(flow, value, callee.name, made),
            )
            flow.watch(member, apply_to)

    flow.watch(flow.evaluate(callee.value, frame), member_of)


def apply(
    flow: Flow, callee: Value, expression: Call, passed: Passed, frame: Frame, node: Node
) -> None:
    """What calling `callee` returns flows into `node`."""
    match callee:
        case FunctionObject():
            entered = flow.frames.enter(callee.scope, expression, passed, frame, callee.closure)
            results(flow, callee.scope, entered, node)
        case Method():
            entered = flow.frames.enter(
                callee.scope, expression, passed, frame, None, callee.receiver
            )
            results(flow, callee.scope, entered, node)
        case ClassObject():
            _construct(flow, callee, expression, passed, frame, node)
        case External():
            externals.call(flow, callee, expression, passed, frame, node)
        case Partial():
            _partial(flow, callee, expression, passed, frame, node)
        case Instance() | Made():
            _object(flow, callee, expression, passed, frame, node)
        case _:
            flow.add(node, UNKNOWN)


def _construct(
    flow: Flow, callee: ClassObject, expression: Call, passed: Passed, frame: Frame, node: Node
) -> None:
    """An object of a project class; loaders, samplers and what may wrap them are told apart."""
    if not is_told_apart(flow, callee):
        flow.add(node, Instance(callee.cls, exact=True))
        return
    made = Made(expression, frame, callee)
    flow.passed[made] = passed
    flow.add(node, made)


def is_told_apart(flow: Flow, value: Value) -> bool:
    """Whether the objects that a callable makes matter one by one: loaders, samplers, wrappers."""
    sampler = arguments.signature(flow, value, samplers.DISTRIBUTED)
    if makes_loader(flow, value) or sampler is not None:
        return True
    return isinstance(value, ClassObject) and flow.classes.is_iterator(value.cls)


def results(flow: Flow, scope: Scope, frame: Frame, node: Node) -> None:
    """What an activation of `scope` gives its caller."""
    if scope.yields:
        flow.add(node, Generated(scope, frame))
        return
    for value in scope.returns:
        flow.connect(flow.evaluate(value, frame), node)


def _partial(
    flow: Flow,
    partial: Partial,
    expression: Call,
    passed: Passed,
    frame: Frame,
    node: Node,
    around: frozenset[Partial] = frozenset(),
) -> None:
    """What the function behind a partial returns; one that is bound to itself adds nothing."""
    bound = flow.passed[partial].arguments
    merged = Passed((*bound[1:], *passed.arguments))
    around |= {partial}

    def apply_to(value: Value) -> None:
        if not isinstance(value, Partial):
            apply(flow, value, expression, merged, frame, node)
        elif value not in around:
            _partial(flow, value, expression, merged, frame, node, around)

    flow.watch(flow.evaluate(bound[0][0].value, bound[0][1]), apply_to)


def _object(
    flow: Flow, value: Instance | Made, expression: Call, passed: Passed, frame: Frame, node: Node
) -> None:
    """Calling an object; what a torch module computes is no batch any more."""
    cls = attributes.project_class(value)
    method = None if cls is None else flow.classes.method(cls, "__call__")
    if method is None:
        flow.add(node, UNKNOWN)
        return
    entered = flow.frames.enter(method, expression, passed, frame, None, value)
    results(flow, method, entered, node)


def is_loader(flow: Flow, value: Value) -> bool:
    """Whether a value is a torch DataLoader, a drop-in or an object of a subclass."""
    return isinstance(value, Made) and makes_loader(flow, value.origin)


def is_threaded(value: Value) -> bool:
    """Whether a value is a loader that makes its batches ahead in a thread."""
    if not isinstance(value, Made) or not isinstance(value.origin, External):
        return False
    return value.origin.path in THREADED


def makes_loader(flow: Flow, value: Value) -> bool:
    """Whether calling a value makes a torch DataLoader, a drop-in or an object of a subclass."""
    return arguments.signature(flow, value) is not None


def argument(flow: Flow, made: Made, name: str) -> Node | None:
    """The node of one argument of torch's constructor, as `made` was made with it."""
    found = arguments.construction(flow, made)
    if found is None:
        return None
    passed, positional = found
    position = positional.index(name) if name in positional else None

    def generate(node: Node) -> None:
        arguments.give(flow, passed, position, name, node)

    return flow.node(("argument", made, name), generate)


def parameter(flow: Flow, expression: Parameter, frame: Frame, node: Node) -> None:
    """What a parameter holds: in a root frame, over all calls of the function."""
    scope = frame.scope
    index = next((i for i, s in enumerate(scope.parameters) if s.name == expression.name), None)
    if index is None:
        flow.add(node, UNKNOWN)
        return
    spec = scope.parameters[index]
    settings = flow.config_files.of_main(scope) if index == 0 and scope.decorators else None
    if settings is not None:
        flow.add(node, settings)
    elif frame.call is not None:
        bound(flow, frame, spec, index, node)
    elif index == 0 and takes_receiver(scope):
        owner = scope.owner
        assert owner is not None
        of_class = "classmethod" in attributes.decorators(scope)
        flow.add(node, ClassObject(owner) if of_class else Instance(owner))
    else:
        flow.callers.of_parameter(scope, spec, index, node)


def takes_receiver(scope: Scope) -> bool:
    """Whether the first parameter is `self` or `cls`."""
    return scope.owner is not None and "staticmethod" not in attributes.decorators(scope)


def bound(flow: Flow, frame: Frame, spec: ParameterSpec, index: int, node: Node) -> None:
    """What one activation's parameter holds."""
    passed = frame.passed
    assert passed is not None
    shift = 1 if frame.receiver is not None else 0
    if frame.receiver is not None and index == 0:
        flow.add(node, frame.receiver)
    elif spec.kind in ("star", "starstar"):
        flow.add(node, Rest(frame, spec.name))
    else:
        position = None if spec.kind == "keyword" else index - shift
        if not arguments.give(flow, passed, position, spec.name, node):
            default(flow, frame.scope, spec, node)


def default(flow: Flow, scope: Scope, spec: ParameterSpec, node: Node) -> None:
    """The default of a parameter, or Unknown where it has none."""
    if spec.default is None:
        flow.add(node, UNKNOWN)
        return
    outer = scope.owner.body if scope.owner is not None else scope.parent
    flow.connect(flow.evaluate(spec.default, flow.root(outer or scope)), node)
