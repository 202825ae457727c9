"""Calls of library functions: what they return, as far as loaders and batches are concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir.expressions import Argument, Call, Constant
from dlint.library_facts import config_files, passthrough, tensors
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.values import containers
from dlint.semantics.values.values import (
    UNKNOWN,
    Batch,
    Container,
    External,
    Made,
    Partial,
    Value,
    Zipped,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import Flow, Node


def call(
    flow: Flow, callee: External, expression: Call, passed: Passed, frame: Frame, node: Node
) -> None:
    """What a library callable returns flows into `node`."""
    path = callee.path
    if path == "functools.partial" and passed.positional():
        partial = Partial(expression, frame)
        flow.passed[partial] = passed
        flow.add(node, partial)
    elif path in passthrough.ZIPPED:
        flow.add(node, Zipped(expression, frame))
    elif path in passthrough.DICTS:
        flow.add(node, Container(expression, frame))
    elif path in config_files.READERS:
        flow.config_files.read(path, expression, frame, node)
    elif path in config_files.HYDRA_COMPOSE:
        flow.config_files.compose(expression, node)
    elif path == config_files.MERGE and flow.config_files.merge(expression, frame, node):
        pass
    elif path == "builtins.next":
        _next(flow, passed, node)
    elif path == "builtins.getattr":
        _getattr(flow, passed, node)
    elif not _handed_on(flow, path, passed, node):
        _made(flow, callee, expression, passed, frame, node)


def _next(flow: Flow, passed: Passed, node: Node) -> None:
    given = passed.positional()
    if given:
        source = flow.evaluate(given[0][0].value, given[0][1])
        flow.watch(source, lambda value: containers.element(flow, value, node))


def _getattr(flow: Flow, passed: Passed, node: Node) -> None:
    given = passed.positional() or []
    name = given[1][0].value if len(given) > 1 else None
    if not isinstance(name, Constant) or not isinstance(name.value, str):
        flow.add(node, UNKNOWN)
        return
    attribute = name.value
    source = flow.evaluate(given[0][0].value, given[0][1])
    flow.watch(source, lambda value: attributes.read(flow, value, attribute, node))


def _handed_on(flow: Flow, path: str, passed: Passed, node: Node) -> bool:
    """Callables that return what they are given."""
    positions: range | None = None
    if path in passthrough.ALL_ARGUMENTS:
        positions = range(len(passed.arguments))
    elif path in passthrough.SECOND_ARGUMENT:
        positions = range(1, 2)
    elif passthrough.first_argument(path):
        positions = range(1)
    if positions is None:
        return False
    given = passed.positional() or []
    chosen = [given[i] for i in positions if i < len(given)]
    iterable = passed.keyword("iterable")
    for argument, frame in chosen or ([iterable] if iterable is not None else []):
        source = flow.evaluate(argument.value, frame)
        if path in passthrough.COPYING:
            flow.watch(source, lambda value: flow.add(node, _copied(value)))
        else:
            flow.connect(source, node)
    if path == "torch.device":
        flow.add(node, External("torch.device()"))
    return True


def _copied(value: Value) -> Value:
    """A copy of a batch is made of new tensors."""
    return Batch(value.loader, True, value.moved) if isinstance(value, Batch) else value


def _made(
    flow: Flow, callee: External, expression: Call, passed: Passed, frame: Frame, node: Node
) -> None:
    """A new object; where a batch goes into a tensor function, a batch comes out."""
    apart = calls.is_told_apart(flow, callee)
    made = Made(expression, frame if apart else flow.root(expression.scope), callee)
    flow.passed.setdefault(made, passed)
    flow.add(node, made)
    if apart:
        return
    if callee.path in tensors.MOVERS or callee.path.startswith(("torch.", "numpy.")):
        for argument, caller in passed.arguments[:2]:
            _through(flow, callee.path, argument, caller, node)


def _through(flow: Flow, path: str, argument: Argument, caller: Frame, node: Node) -> None:
    moved = path in tensors.MOVERS

    def watch(value: Value) -> None:
        if isinstance(value, Batch):
            flow.add(node, UNKNOWN if moved else Batch(value.loader, True, value.moved))
        elif isinstance(value, Container):
            flow.watch(_batches(flow, value), watch)

    flow.watch(flow.evaluate(argument.value, caller), watch)


def _batches(flow: Flow, container: Container) -> Node:
    """The node of the batches in a container, which is asked by all that take the container."""

    def generate(node: Node) -> None:
        inner = containers.contents(flow, container, None)
        flow.watch(inner, lambda part: flow.add(node, part) if isinstance(part, Batch) else None)

    return flow.node(("batches", container), generate)
