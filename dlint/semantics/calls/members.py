"""Method calls whose meaning belongs to the receiver: batches, containers, framework objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir.expressions import Attribute, Call
from dlint.library_facts import config_files, frameworks, tensors
from dlint.semantics.calls import calls
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.values import containers
from dlint.semantics.values.values import (
    UNKNOWN,
    Batch,
    Container,
    External,
    Generated,
    Instance,
    Made,
    Namespace,
    Prepared,
    Rest,
    Unknown,
    Value,
    Zipped,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import Flow, Node

_WRAPPING = frozenset().union(*(framework.wraps for framework in frameworks.FRAMEWORKS))


def call(
    flow: Flow,
    receiver: Value,
    name: str,
    expression: Call,
    passed: Passed,
    frame: Frame,
    node: Node,
) -> bool:
    """Whether `receiver.name(…)` is handled here; if so its result flows into `node`."""
    if name in ("__next__", "next") and _yields(flow, receiver):
        containers.element(flow, receiver, node)
    elif name == "__iter__" and _yields(flow, receiver):
        flow.add(node, receiver)
    elif isinstance(receiver, Batch):
        _of_batch(flow, receiver, name, expression, frame, node)
    elif isinstance(receiver, Container | Rest | Zipped):
        _of_container(flow, receiver, name, expression, frame, node)
    elif isinstance(receiver, Made) and isinstance(receiver.origin, External):
        return _of_library_object(flow, receiver, name, expression, passed, frame, node)
    elif isinstance(receiver, Instance) and name in tensors.MODULE_CHAINS:
        if flow.classes.method(receiver.cls, name) is not None:
            return False
        flow.add(node, receiver)
    elif isinstance(receiver, Unknown) and name in _WRAPPING:
        _wrap(flow, "", expression, frame, node)
    else:
        return False
    return True


def _yields(flow: Flow, receiver: Value) -> bool:
    if isinstance(receiver, Generated | Zipped | Prepared):
        return True
    return isinstance(receiver, Made) and calls.is_loader(flow, receiver)


def _of_batch(
    flow: Flow, batch: Batch, name: str, expression: Call, frame: Frame, node: Node
) -> None:
    if name in tensors.COPIES:
        # what is on the device is no concern of a loader any more; a change of dtype is a copy
        flow.add(node, UNKNOWN if _is_move(expression) else Batch(batch.loader, True, batch.moved))
    elif name == "items":
        flow.add(node, Zipped(expression, frame))
    elif name in tensors.VIEWS or (name == "contiguous" and not _is_strided(expression)):
        flow.add(node, batch)
    else:
        flow.add(node, Batch(batch.loader, fresh=True, moved=batch.moved))


def _is_strided(call: Call) -> bool:
    """Whether `contiguous()` is asked of a view that is not: only then does it copy."""
    receiver = call.function.value if isinstance(call.function, Attribute) else None
    return isinstance(receiver, Call) and receiver.name in tensors.STRIDED


def _is_move(call: Call) -> bool:
    first = next((a.value for a in call.arguments if a.keyword is None), None)
    return call.name != "to" or first is None or not tensors.is_dtype(first)


def _of_container(
    flow: Flow,
    container: Container | Rest | Zipped,
    name: str,
    expression: Call,
    frame: Frame,
    node: Node,
) -> None:
    if name == "items":
        flow.add(node, Zipped(expression, frame))
    elif name in ("values", "copy") or isinstance(container, Zipped):
        flow.add(node, container)
    elif name in ("get", "pop", "setdefault"):
        first = expression.arguments[0].value if expression.arguments else None
        key = getattr(first, "value", None)
        wanted = key if isinstance(key, str | int) else None
        flow.connect(containers.contents(flow, container, wanted), node)
    else:
        flow.add(node, UNKNOWN)


def _of_library_object(
    flow: Flow,
    receiver: Made,
    name: str,
    expression: Call,
    passed: Passed,
    frame: Frame,
    node: Node,
) -> bool:
    assert isinstance(receiver.origin, External)
    framework = frameworks.wrapper(receiver.origin.path, name)
    if framework is not None:
        _wrap(flow, framework.name, expression, frame, node)
    elif name in ("parse_args", "parse_known_args", "parse_intermixed_args"):
        flow.add(node, Namespace(expression))
    elif receiver.origin.path == "builtins.super":
        return False
    elif name in ("prepare", "setup_dataloaders"):
        _wrap(flow, "", expression, frame, node)
    elif name in ("clone", "copy"):
        flow.add(node, receiver)
    elif name == "load" and f"{receiver.origin.path}().load" in config_files.READERS:
        flow.config_files.read(receiver.origin.path, expression, frame, node)
    else:
        _of_result(flow, receiver.origin.path, name, expression, node)
    del passed
    return True


def _of_result(flow: Flow, path: str, name: str, expression: Call, node: Node) -> None:
    """A method of what a library callable made: named after it, but only one call deep."""
    if "()" in path:
        flow.add(node, UNKNOWN)
    else:
        callee = External(f"{path}().{name}")
        flow.add(node, Made(expression, flow.root(expression.scope), callee))


def _wrap(flow: Flow, by: str, expression: Call, frame: Frame, node: Node) -> None:
    """`prepare(loader)` returns the wrapped loader, `prepare(a, b)` all of them in order."""
    if len(expression.arguments) == 1 and not expression.arguments[0].star:
        source = flow.evaluate(expression.arguments[0].value, frame)
        flow.watch(source, lambda value: flow.add(node, wrapped(flow, value, by)))
    else:
        flow.add(node, Container(expression, frame))


def wrapped(flow: Flow, value: Value, by: str) -> Value:
    """A value behind a framework's `prepare`."""
    if isinstance(value, Made) and calls.is_loader(flow, value):
        return Prepared(value, by)
    return value
