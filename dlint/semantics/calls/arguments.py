"""Arguments: which expression a call gives to a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dlint.ir.expressions import Argument, Attribute, Call, Expression, Reference
from dlint.ir.module import Class, Scope
from dlint.library_facts import loaders
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import AllocationSite, ClassObject, External, Value


def give(
    solver: Solver, passed: CallArguments, position: int | None, name: str, node: ConstraintNode
) -> bool:
    """Let the argument for a parameter flow into `node`; False where it may be missing.

    `position` is None for keyword-only parameters.
    """
    given = passed.keyword(name)
    if given is not None:
        solver.connect(solver.evaluate(given[0].value, given[1]), node)
        return True
    if position is not None:
        index = 0
        for argument, frame in passed.arguments:
            if argument.star == "*":
                _item_of(solver, argument.value, frame, position - index, node)
                return False
            if argument.keyword is None and not argument.star:
                if index == position:
                    solver.connect(solver.evaluate(argument.value, frame), node)
                    return True
                index += 1
    for argument, frame in passed.unpacked("**"):
        _item_of(solver, argument.value, frame, name, node, optional=True)
    return False


def _item_of(
    solver: Solver,
    value: Expression,
    frame: CallContext,
    key: int | str,
    node: ConstraintNode,
    *,
    optional: bool = False,
) -> None:
    source = solver.evaluate(value, frame)

    def watch(container: Value) -> None:
        solver.item(container, key, node, optional=optional)

    solver.watch(source, watch)


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
    if isinstance(made.origin, External):
        return passed, positional
    return _through(solver, made, made.origin.cls, passed, positional)


def _through(
    solver: Solver,
    made: AllocationSite,
    cls: Class,
    passed: CallArguments,
    positional: tuple[str, ...],
) -> tuple[CallArguments, tuple[str, ...]] | None:
    frame = made.frame
    ancestors = solver.classes.ancestors(cls)
    while True:
        owner = next((a for a in ancestors if "__init__" in a.methods), None)
        if owner is None:
            return passed, positional
        init = owner.methods["__init__"]
        frame = solver.frames.enter(init, made.call, passed, frame, None, made)
        upward = list(base_constructor_calls(init))
        if len(upward) != 1:
            return None
        passed = CallArguments(tuple((argument, frame) for argument in upward[0]))
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
