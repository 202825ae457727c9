"""Constraints of each kind of expression: what flows into its node."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dlint.frontends.settings_files import Group, Interpolated, Setting
from dlint.ir import expressions as ex
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.call_contexts import Frame
from dlint.semantics.names import names
from dlint.semantics.values import containers
from dlint.semantics.values.values import (
    UNKNOWN,
    Batch,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Generated,
    Instance,
    Literal,
    Made,
    Value,
)

if TYPE_CHECKING:
    from dlint.ir.module import ModuleIndex, Scope
    from dlint.semantics.values.solver import Flow, Node

Generator = Callable[["Flow", Any, Frame, "Node"], None]


def of(expression: ex.Expression) -> Generator:
    """The generator for this kind of expression."""
    return _GENERATORS[type(expression)]


def _constant(flow: Flow, expression: ex.Constant, frame: Frame, node: Node) -> None:
    flow.add(node, Literal.of(expression.value))


def _unknown(flow: Flow, expression: ex.Expression, frame: Frame, node: Node) -> None:
    flow.add(node, UNKNOWN)


def _reference(flow: Flow, expression: ex.Reference, frame: Frame, node: Node) -> None:
    if expression.definition is not None:
        flow.connect(flow.evaluate(expression.definition.value, frame), node)
    else:
        _free(flow, expression.name, frame, node)


def _free(flow: Flow, name: str, frame: Frame, node: Node) -> None:
    """A name that its own scope does not bind on this path: look outwards."""
    scope = frame.scope
    outer = frame if name not in scope.globals else None
    while outer is not None and outer.scope.kind != "module":
        found = tuple(flow.bindings(outer.scope, name))
        own = outer is frame
        if found and name not in outer.scope.nonlocals and outer.scope.kind != "class":
            if not own:
                for definition in found:
                    flow.connect(flow.evaluate(definition.value, outer), node)
            return
        outer = outer.closure
    flow.connect(global_name(flow, scope.module, name), node)


def global_name(flow: Flow, module: ModuleIndex, name: str) -> Node:
    """The node of a name of a module, over all its bindings there."""

    def generate(node: Node) -> None:
        facts = flow.project.load(module.path)
        found = facts.globals.get(name, ()) if facts is not None else ()
        for definition in found:
            value, frame = definition.value, flow.root(definition.scope)
            flow.connect(flow.evaluate(value, frame), node)
        if not found:
            _taken_over(flow, module, name, node)

    return flow.node((module, name), generate)


def _taken_over(flow: Flow, module: ModuleIndex, name: str, node: Node) -> None:
    """A name that a module does not bind itself: `import *`, then builtins."""
    facts = flow.project.load(module.path)
    if facts is not None:
        for target in flow.names.star_targets(facts):
            if isinstance(target, External):
                if target.path.startswith("torch") and name[:1].isupper():
                    flow.add(node, External(f"{target.path}.{name}"))
                    return
            elif (source := flow.project.load(target)) is not None and name in source.globals:
                flow.connect(global_name(flow, source.module, name), node)
                return
            elif source is not None and source.module.star_imports and source is not facts:
                inner = global_name(flow, source.module, name)
                flow.connect(inner, node)
                return
    known = name in names.BUILTINS
    flow.add(node, External(f"builtins.{name}") if known else UNKNOWN)


def _imported(flow: Flow, expression: ex.Imported, frame: Frame, node: Node) -> None:
    """Names of project modules are joined over their bindings, others are library paths."""
    path = frame.scope.module.path
    target = flow.project.imports.resolve(path, expression.module, expression.level)
    if target is not None and expression.name is not None and target.endswith(".py"):
        facts = flow.project.load(target)
        if facts is not None and (
            expression.name in facts.globals
            or (
                flow.project.imports.member(target, expression.name) is None
                and facts.module.star_imports
            )
        ):
            flow.connect(global_name(flow, facts.module, expression.name), node)
            return
    found = flow.names.imported(expression, path)
    for value in found:
        flow.add(node, value)
    if not found:
        flow.add(node, UNKNOWN)


def _both(flow: Flow, expression: ex.Conditional, frame: Frame, node: Node) -> None:
    flow.connect(flow.evaluate(expression.then, frame), node)
    flow.connect(flow.evaluate(expression.otherwise, frame), node)


def _join(flow: Flow, expression: ex.Join, frame: Frame, node: Node) -> None:
    for alternative in expression.alternatives:
        flow.connect(flow.evaluate(alternative, frame), node)


def _boolean(flow: Flow, expression: ex.Boolean, frame: Frame, node: Node) -> None:
    flow.connect(flow.evaluate(expression.left, frame), node)
    flow.connect(flow.evaluate(expression.right, frame), node)


def _binary(flow: Flow, expression: ex.Binary, frame: Frame, node: Node) -> None:
    """Arithmetic on a batch makes a new tensor; adding containers keeps their elements."""

    def watch(value: Value) -> None:
        if isinstance(value, Batch):
            flow.add(node, Batch(value.loader, fresh=True, moved=value.moved))
        elif isinstance(value, Container) and expression.operator == "+":
            flow.add(node, value)

    flow.watch(flow.evaluate(expression.left, frame), watch)
    flow.watch(flow.evaluate(expression.right, frame), watch)
    flow.add(node, UNKNOWN)


def _container(flow: Flow, expression: ex.Sequence, frame: Frame, node: Node) -> None:
    flow.add(node, Container(expression, frame))


def _function(flow: Flow, expression: ex.FunctionValue, frame: Frame, node: Node) -> None:
    flow.add(node, FunctionObject(expression.function, frame))


def _class(flow: Flow, expression: ex.ClassValue, frame: Frame, node: Node) -> None:
    flow.add(node, ClassObject(expression.cls))


def _format(flow: Flow, expression: ex.Format, frame: Frame, node: Node) -> None:
    """`f"cuda:{rank}"` is as good as `"cuda:…"`: what follows the first text is not known."""
    first = expression.parts[0] if expression.parts else None
    if isinstance(first, ex.Constant) and isinstance(first.value, str) and first.value:
        flow.add(node, Literal.of(first.value + "…"))
    else:
        flow.add(node, UNKNOWN)


def _inner(flow: Flow, expression: ex.Await | ex.Starred, frame: Frame, node: Node) -> None:
    flow.connect(flow.evaluate(expression.value, frame), node)


def _element(flow: Flow, expression: ex.Element, frame: Frame, node: Node) -> None:
    source = flow.evaluate(expression.iterable, frame)
    flow.watch(source, lambda value: containers.element(flow, value, node))


def _item(flow: Flow, expression: ex.Item, frame: Frame, node: Node) -> None:
    source = flow.evaluate(expression.value, frame)
    key = None if expression.starred else expression.position
    flow.watch(source, lambda value: containers.item(flow, value, key, node))


def _subscript(flow: Flow, expression: ex.Subscript, frame: Frame, node: Node) -> None:
    source = flow.evaluate(expression.value, frame)
    index = expression.index
    if isinstance(index, ex.Slice):
        flow.connect(source, node)
        return
    key = index.value if isinstance(index, ex.Constant) else None
    if isinstance(index, ex.Unary) and isinstance(index.operand, ex.Constant):
        number = index.operand.value
        key = -number if isinstance(number, int) and index.operator == "-" else None
    exact = key if isinstance(key, str | int) else None
    flow.watch(source, lambda value: containers.item(flow, value, exact, node))


def _attribute(flow: Flow, expression: ex.Attribute, frame: Frame, node: Node) -> None:
    source = flow.evaluate(expression.value, frame)
    flow.watch(source, lambda value: attributes.read(flow, value, expression.name, node))


def _entered(flow: Flow, expression: ex.Entered, frame: Frame, node: Node) -> None:
    def watch(value: Value) -> None:
        if isinstance(value, Generated):
            containers.element(flow, value, node)
        elif isinstance(value, Made | Instance) and (enter := _enter(flow, value)) is not None:
            for result in enter.returns:
                flow.connect(flow.evaluate(result, flow.root(enter)), node)
        else:
            flow.add(node, value)

    flow.watch(flow.evaluate(expression.value, frame), watch)


def _enter(flow: Flow, value: Made | Instance) -> Scope | None:
    cls = attributes.project_class(value)
    return None if cls is None else flow.classes.method(cls, "__enter__")


def _call(flow: Flow, expression: ex.Call, frame: Frame, node: Node) -> None:
    calls.call(flow, expression, frame, node)


def _parameter(flow: Flow, expression: ex.Parameter, frame: Frame, node: Node) -> None:
    calls.parameter(flow, expression, frame, node)


_GENERATORS: dict[type, Generator] = {
    ex.Constant: _constant,
    ex.Reference: _reference,
    ex.Attribute: _attribute,
    ex.Subscript: _subscript,
    ex.Slice: _unknown,
    ex.Call: _call,
    ex.Sequence: _container,
    ex.Starred: _inner,
    ex.Mapping: _container,
    ex.Conditional: _both,
    ex.Join: _join,
    ex.Boolean: _boolean,
    ex.Unary: _unknown,
    ex.Binary: _binary,
    ex.Comparison: _unknown,
    ex.Comprehension: _container,
    ex.FunctionValue: _function,
    ex.ClassValue: _class,
    ex.Imported: _imported,
    ex.Parameter: _parameter,
    ex.Element: _element,
    ex.Item: _item,
    ex.Entered: _entered,
    ex.Format: _format,
    ex.Await: _inner,
    ex.Yield: _unknown,
    ex.Opaque: _unknown,
    Interpolated: _unknown,
    Setting: _unknown,
    Group: _container,
}
