"""Arguments: which expression a call gives to a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dlint.ir.expressions import Argument, Attribute, Call, Expression, Reference
from dlint.library_facts import loaders
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.values import containers
from dlint.semantics.values.values import ClassObject, External, Made, Value

if TYPE_CHECKING:
    from dlint.ir.module import Class, Scope
    from dlint.semantics.values.solver import Flow, Node


def give(flow: Flow, passed: Passed, position: int | None, name: str, node: Node) -> bool:
    """Let the argument for a parameter flow into `node`; False where it may be missing.

    `position` is None for keyword-only parameters.
    """
    given = passed.keyword(name)
    if given is not None:
        flow.connect(flow.evaluate(given[0].value, given[1]), node)
        return True
    if position is not None:
        index = 0
        for argument, frame in passed.arguments:
            if argument.star == "*":
                _item_of(flow, argument.value, frame, position - index, node)
                return False
            if argument.keyword is None and not argument.star:
                if index == position:
                    flow.connect(flow.evaluate(argument.value, frame), node)
                    return True
                index += 1
    for argument, frame in passed.unpacked("**"):
        _item_of(flow, argument.value, frame, name, node, optional=True)
    return False


def _item_of(
    flow: Flow,
    value: Expression,
    frame: Frame,
    key: int | str,
    node: Node,
    *,
    optional: bool = False,
) -> None:
    source = flow.evaluate(value, frame)

    def watch(container: Value) -> None:
        containers.item(flow, container, key, node, optional=optional)

    flow.watch(source, watch)


Signatures = Mapping[str, tuple[str, ...]]
"""Library classes by path, each with the positional parameters of its constructor."""


def signature(
    flow: Flow, value: Value, signatures: Signatures = loaders.SIGNATURES
) -> tuple[str, ...] | None:
    """The positional parameters of the library class that a callable makes objects of."""
    if isinstance(value, External):
        return signatures.get(value.path)
    if isinstance(value, ClassObject):
        for path in flow.classes.externals(value.cls):
            if path in signatures:
                return signatures[path]
    return None


def construction(
    flow: Flow, made: Made, signatures: Signatures = loaders.SIGNATURES
) -> tuple[Passed, tuple[str, ...]] | None:
    """What the library's own constructor is given when `made` is made, and its parameters.

    The constructors of project subclasses are followed through their `super().__init__(…)`.
    """
    positional = signature(flow, made.origin, signatures)
    passed = flow.passed.get(made)
    if positional is None or passed is None:
        return None
    if isinstance(made.origin, External):
        return passed, positional
    return _through(flow, made, made.origin.cls, passed, positional)


def _through(
    flow: Flow, made: Made, cls: Class, passed: Passed, positional: tuple[str, ...]
) -> tuple[Passed, tuple[str, ...]] | None:
    frame = made.frame
    ancestors = flow.classes.ancestors(cls)
    while True:
        owner = next((a for a in ancestors if "__init__" in a.methods), None)
        if owner is None:
            return passed, positional
        init = owner.methods["__init__"]
        frame = flow.frames.enter(init, made.call, passed, frame, None, made)
        upward = list(base_constructor_calls(init))
        if len(upward) != 1:
            return None
        passed = Passed(tuple((argument, frame) for argument in upward[0]))
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
