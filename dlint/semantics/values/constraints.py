"""Constraints of each kind of expression: what flows into its node.

Question: from which other expressions and values does this one take what it denotes? Names are
looked up through scopes and imports, both sides of a choice and every definition of a join flow;
numbers, texts and comparisons are not computed (the evaluator does that): they are Unknown, and so
is whatever the front end kept no form of. Bounded by the solver's budget.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlint.frontends.settings_files import Group, Interpolated, Setting, Settings
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.names.global_names import enclosing_frame, global_name
from dlint.semantics.names.text_parts import written_begin
from dlint.semantics.values.made_devices import device_is_text
from dlint.semantics.values.solver import ConstraintNode, Constraints, Solver
from dlint.semantics.values.tested_classes import tested_classes
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    FunctionObject,
    Generated,
    Instance,
    Literal,
    Value,
)


def _constant(
    solver: Solver, expression: ex.Constant, frame: CallContext, node: ConstraintNode
) -> None:
    solver.add(node, Literal.of(expression.value))


def _unknown(
    solver: Solver, expression: ex.Expression, frame: CallContext, node: ConstraintNode
) -> None:
    solver.add(node, UNKNOWN)


def _reference(
    solver: Solver, expression: ex.Reference, frame: CallContext, node: ConstraintNode
) -> None:
    if expression.definition is not None:
        solver.connect(solver.evaluate(expression.definition.value, frame), node)
    else:
        _free(solver, expression.name, frame, node)


def _free(solver: Solver, name: str, frame: CallContext, node: ConstraintNode) -> None:
    """A name that its own scope does not bind on this path: look outwards."""
    home = enclosing_frame(solver, name, frame)
    if home.scope.kind == "module":
        solver.connect(global_name(solver, home.scope.module, name, frame.scope), node)
    elif home is not frame:
        for definition in solver.bindings(home.scope, name):
            solver.connect(solver.evaluate(definition.value, home), node)


def _imported(
    solver: Solver, expression: ex.Imported, frame: CallContext, node: ConstraintNode
) -> None:
    """Names of project modules are joined over their bindings, others are library paths."""
    path = frame.scope.module.path
    target = solver.project.imports.resolve(path, expression.module, expression.level)
    if target not in {None, path} and expression.name is not None and target.endswith(".py"):
        facts = solver.project.load(target)
        if facts is not None and (
            expression.name in facts.globals
            or (
                solver.project.imports.member(target, expression.name) is None
                and facts.module.star_imports
            )
        ):
            solver.connect(global_name(solver, facts.module, expression.name), node)
            return
    found = solver.names.imported(expression, path)
    for value in found:
        solver.add(node, value)
    if not found:
        solver.add(node, UNKNOWN)


def _both(
    solver: Solver, expression: ex.Conditional, frame: CallContext, node: ConstraintNode
) -> None:
    told = device_is_text(solver, expression.test, frame.scope)
    if told is not False:
        _then(solver, expression, frame, node)
    if told is not True:
        solver.connect(solver.evaluate(expression.otherwise, frame), node)


def _then(
    solver: Solver, expression: ex.Conditional, frame: CallContext, node: ConstraintNode
) -> None:
    """What the test lets through."""
    source = solver.evaluate(expression.then, frame)
    passes = tested_classes(solver, expression.test, expression.then, frame.scope)
    if passes is None:
        solver.connect(source, node)
    else:
        solver.watch(source, lambda value: solver.add(node, value) if passes(value) else None)


def _join(solver: Solver, expression: ex.Join, frame: CallContext, node: ConstraintNode) -> None:
    for alternative in expression.alternatives:
        solver.connect(solver.evaluate(alternative, frame), node)


def _boolean(
    solver: Solver, expression: ex.Boolean, frame: CallContext, node: ConstraintNode
) -> None:
    solver.connect(solver.evaluate(expression.left, frame), node)
    solver.connect(solver.evaluate(expression.right, frame), node)


def _binary(
    solver: Solver, expression: ex.Binary, frame: CallContext, node: ConstraintNode
) -> None:
    """Arithmetic on a batch makes a new tensor; adding containers keeps their elements."""
    begun = written_begin(expression)
    if begun:
        solver.add(node, Literal.of(begun + "…"))
        return

    def watch(value: Value) -> None:
        if isinstance(value, Batch):
            solver.add(node, Batch(value.loader, fresh=True, moved=value.moved))
        elif isinstance(value, Container) and expression.operator == "+":
            solver.add(node, value)

    solver.watch(solver.evaluate(expression.left, frame), watch)
    solver.watch(solver.evaluate(expression.right, frame), watch)
    solver.add(node, UNKNOWN)


def _container(
    solver: Solver, expression: ex.Sequence, frame: CallContext, node: ConstraintNode
) -> None:
    solver.add(node, Container(expression, frame))


def _function(
    solver: Solver, expression: ex.FunctionValue, frame: CallContext, node: ConstraintNode
) -> None:
    solver.add(node, FunctionObject(expression.function, frame))


def _class(
    solver: Solver, expression: ex.ClassValue, frame: CallContext, node: ConstraintNode
) -> None:
    solver.add(node, ClassObject(expression.cls))


def _format(
    solver: Solver, expression: ex.Format, frame: CallContext, node: ConstraintNode
) -> None:
    """`f"cuda:{rank}"` is as good as `"cuda:…"`: what follows the first text is not known."""
    begun = written_begin(expression)
    solver.add(node, Literal.of(begun + "…") if begun else UNKNOWN)


def _inner(
    solver: Solver, expression: ex.Await | ex.Starred, frame: CallContext, node: ConstraintNode
) -> None:
    solver.connect(solver.evaluate(expression.value, frame), node)


def _element(
    solver: Solver, expression: ex.Element, frame: CallContext, node: ConstraintNode
) -> None:
    source = solver.evaluate(expression.iterable, frame)
    solver.watch(source, lambda value: solver.element(value, node))


def _item(solver: Solver, expression: ex.Item, frame: CallContext, node: ConstraintNode) -> None:
    if expression.starred:
        solver.add(node, Container(expression, frame))
        return
    source = solver.evaluate(expression.value, frame)
    solver.watch(source, lambda value: solver.item(value, expression.position, node))


def _subscript(
    solver: Solver, expression: ex.Subscript, frame: CallContext, node: ConstraintNode
) -> None:
    source = solver.evaluate(expression.value, frame)
    index = expression.index
    if isinstance(index, ex.Slice):
        solver.connect(source, node)
        return
    known = ex.constant(index)
    key = None if known is None else known.value
    if isinstance(index, ex.Unary) and isinstance(index.operand, ex.Constant):
        number = index.operand.value
        key = -number if isinstance(number, int) and index.operator == "-" else None
    exact = key if isinstance(key, str | int) else None
    solver.watch(source, lambda value: solver.item(value, exact, node))


def _attribute(
    solver: Solver, expression: ex.Attribute, frame: CallContext, node: ConstraintNode
) -> None:
    source = solver.evaluate(expression.value, frame)
    solver.watch(source, _OfAttribute(solver, expression.name, node))


@dataclass(eq=False, slots=True)
class _OfAttribute:
    """Lets an attribute of a value flow into a node.

    Large programs have a hundred thousand: a function and its cells would take six times as much.
    """

    solver: Solver
    name: str
    node: ConstraintNode

    def __call__(self, value: Value) -> None:
        self.solver.attribute(value, self.name, self.node)


def _entered(
    solver: Solver, expression: ex.Entered, frame: CallContext, node: ConstraintNode
) -> None:
    def watch(value: Value) -> None:
        if isinstance(value, Generated):
            solver.element(value, node)
        elif (
            isinstance(value, AllocationSite | Instance)
            and (enter := _enter(solver, value)) is not None
        ):
            for result in enter.returns:
                solver.connect(solver.evaluate(result, solver.root(enter)), node)
        else:
            solver.add(node, value)

    solver.watch(solver.evaluate(expression.value, frame), watch)


def _enter(solver: Solver, value: AllocationSite | Instance) -> Scope | None:
    cls = project_class(value)
    return None if cls is None else solver.classes.method(cls, "__enter__")


CONSTRAINTS: dict[type, Constraints] = {
    ex.Constant: _constant,
    ex.Reference: _reference,
    ex.Attribute: _attribute,
    ex.Subscript: _subscript,
    ex.Slice: _unknown,
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
    ex.Element: _element,
    ex.Item: _item,
    ex.Entered: _entered,
    ex.Format: _format,
    ex.Await: _inner,
    ex.Yield: _unknown,
    ex.Opaque: _unknown,
    Interpolated: _unknown,
    Setting: _unknown,
    Settings: _unknown,
    Group: _container,
}
"""What flows into the node of each kind of expression, but calls and parameters."""
