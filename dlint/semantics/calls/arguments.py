"""Arguments as values flow: what a parameter takes, and what a library's constructor is given.

Questions: which values does an argument give to a parameter, of which library class does a callable
make objects, and with which arguments was that class's own constructor called? Followed: positions,
keywords, what `*x` and `**x` hold, and constructors of project subclasses through the one
`super().__init__(…)` that each of them calls; of several such calls nothing is said. Bounded by the
solver's budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dlint.ir.expressions import Argument, Attribute, Call, Reference
from dlint.ir.module import Class, Scope
from dlint.library_facts import loaders
from dlint.semantics.calls.binding import BoundArgument, UnpackedItem, spread
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    AllocationSite,
    ClassObject,
    External,
    Value,
)


def give(solver: Solver, bound: BoundArgument, node: ConstraintNode) -> bool:
    """Let what a parameter takes flow into `node`; False where its default may hold."""
    if bound.expression is not None:
        solver.connect(solver.evaluate(*bound.expression), node)
        return True
    for item in bound.unpacked:
        _unpack(solver, item, node)
    return False


def _unpack(solver: Solver, item: UnpackedItem, node: ConstraintNode) -> None:
    optional = isinstance(item.key, str)

    def watch(container: Value) -> None:
        solver.item(container, item.key, node, optional=optional)

    solver.watch(solver.evaluate(item.source, item.context), watch)


Signatures = Mapping[str, tuple[str, ...]]
"""Library classes by path, each with the positional parameters of its constructor."""


def signature(
    solver: Solver, value: Value, signatures: Signatures = loaders.SIGNATURES
) -> tuple[str, ...] | None:
    """The positional parameters of the library class that a callable makes objects of."""
    if isinstance(value, External):
        return signatures.get(value.path)
    if isinstance(value, ClassObject):
        for path in solver.classes.externals(value.cls):
            if path in signatures:
                return signatures[path]
    return None


def construction(
    solver: Solver, made: AllocationSite, signatures: Signatures = loaders.SIGNATURES
) -> tuple[CallArguments, tuple[str, ...]] | None:
    """What the library's own constructor is given when `made` is made, and its parameters.

    The constructors of project subclasses are followed through their `super().__init__(…)`.
    """
    positional = signature(solver, made.origin, signatures)
    passed = solver.passed.get(made)
    if positional is None or passed is None:
        return None
    if not isinstance(made.origin, ClassObject):
        return passed, positional
    upward = through_constructors(
        solver, made.origin.cls, made, made.call, passed, made.frame, spreading=True
    )
    return None if upward is None else (upward, positional)


def through_constructors(
    solver: Solver,
    cls: Class,
    receiver: Value,
    call: Call,
    passed: CallArguments,
    frame: CallContext,
    *,
    spreading: bool = False,
) -> CallArguments | None:
    """What the constructor above those of a project class and its ancestors is given.

    None where one of them does not call the next one exactly once. With `spreading`, what they hand
    on as `*args` and `**kwargs` is there one by one.
    """
    ancestors = solver.classes.ancestors(cls)
    while True:
        owner = next((a for a in ancestors if "__init__" in a.methods), None)
        if owner is None:
            return passed
        init = owner.methods["__init__"]
        frame = solver.frames.enter(init, call, passed, frame, None, receiver)
        upward = list(base_constructor_calls(init))
        if len(upward) != 1:
            return None
        passed = CallArguments.of(upward[0], frame)
        passed = spread(passed) if spreading else passed
        ancestors = ancestors[ancestors.index(owner) + 1 :]


def base_constructor_calls(init: Scope) -> Iterator[tuple[Argument, ...]]:
    """The arguments of each `super().__init__(…)` or `Base.__init__(self, …)` in a constructor."""
    for call in init.calls:
        callee = call.function
        if not isinstance(callee, Attribute) or callee.name != "__init__":
            continue
        if isinstance(callee.value, Call):
            yield call.arguments
        elif isinstance(callee.value, Reference | Attribute) and call.arguments:
            yield call.arguments[1:]
