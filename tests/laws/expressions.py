"""Expressions named beforehand, and names put in place.

Only what is evaluated first in its statement is moved, so nothing happens in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import libcst as cst

from tests.laws.facts import Kind, dotted_name
from tests.laws.program import Module, Program
from tests.laws.quiet import has_any, has_comment, is_constant, is_plain, is_silenced, simple_call
from tests.laws.rewriting import Edits, PerModule

_UNMOVABLE = (cst.Yield, cst.Await, cst.NamedExpr, cst.Lambda, cst.GeneratorExp)


def blocks(tree: cst.Module) -> Iterator[list[cst.BaseStatement]]:
    """The statements of each block, but for the bodies of classes."""
    found: list[list[cst.BaseStatement]] = [list(tree.body)]

    class Visitor(cst.CSTVisitor):
        def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:  # noqa: N802
            found.append(list(node.body))

        def visit_ClassDef(self, node: cst.ClassDef) -> None:  # noqa: N802
            bodies.append(node.body)

    bodies: list[cst.BaseSuite] = []
    tree.visit(Visitor())
    of_classes = [list(b.body) for b in bodies]
    yield from (b for b in found if b not in of_classes)


def first_value(statement: cst.BaseStatement) -> cst.BaseExpression | None:
    """What a statement evaluates before anything else, as a whole."""
    if isinstance(statement, cst.For):
        return None if statement.asynchronous else statement.iter
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    if isinstance(small, cst.Assign | cst.Expr | cst.Return | cst.AnnAssign):
        return small.value
    return None


def first_arguments(call: cst.Call) -> Iterator[cst.Arg]:
    """The arguments of a call that are evaluated before anything that could be noticed."""
    for arg in call.args:
        if arg.star:
            return
        yield arg
        if not is_plain(arg.value):
            return


def named(name: str, value: cst.BaseExpression) -> cst.BaseStatement:
    """`name = value` as a statement."""
    target = cst.AssignTarget(cst.Name(name))
    return cst.SimpleStatementLine([cst.Assign([target], value)])


class _Naming(PerModule):
    """Puts an expression into a variable in the line above, if no comment silences the line."""

    gains_fix = True

    def edit(self, module: Module, program: Program) -> str | None:
        edits, fresh = Edits(module), program.fresh()
        if has_any(module.tree, cst.Match):
            return None
        for block in blocks(module.tree):
            for statement in block:
                value = None if is_silenced(statement) else first_value(statement)
                for node in [] if value is None else self.chosen(statement, value):
                    self._name(statement, node, lambda: next(fresh), edits)
        return edits.code()

    def chosen(
        self, statement: cst.BaseStatement, value: cst.BaseExpression
    ) -> Iterator[cst.BaseExpression]:
        """The parts of the first value that get a name, in the order of evaluation."""
        raise NotImplementedError

    def _name(
        self,
        statement: cst.BaseStatement,
        node: cst.BaseExpression,
        fresh: Callable[[], str],
        edits: Edits,
    ) -> None:
        if has_comment(node) or has_any(node, *_UNMOVABLE):
            return
        name = fresh()
        edits.before(statement, named(name, node))
        edits.replace(node, cst.Name(name))


class NamedArguments(_Naming):
    """An argument of a call gets a name in the line above: the value is the same object.

    It lives as long as the function then, which only memory notices.
    """

    name = "named-arguments"

    def chosen(
        self, statement: cst.BaseStatement, value: cst.BaseExpression
    ) -> Iterator[cst.BaseExpression]:
        call = simple_call(value)
        for arg in first_arguments(call) if call else ():
            if not isinstance(arg.value, cst.Name):
                yield arg.value


class NamedOptions(_Naming):
    """Constants given to a call get a name in the line above."""

    name = "named-options"

    def chosen(
        self, statement: cst.BaseStatement, value: cst.BaseExpression
    ) -> Iterator[cst.BaseExpression]:
        call = simple_call(value)
        for arg in call.args if call else ():
            if not arg.star and is_constant(arg.value):
                yield arg.value


class NamedIterables(_Naming):
    """What a loop runs over gets a name in the line above.

    `for x in DataLoader(...)` and `for x in tqdm(loader)` keep the loader for as long as the
    function runs, which only memory notices.
    """

    name = "named-iterables"

    def chosen(
        self, statement: cst.BaseStatement, value: cst.BaseExpression
    ) -> Iterator[cst.BaseExpression]:
        if isinstance(statement, cst.For) and not isinstance(value, cst.Name):
            yield value


class InlinedNames(PerModule):
    """A local name that is used once, in the next line, and first of all there, is put in place."""

    name = "inlined-names"
    keeps_fix = False

    def edit(self, module: Module, program: Program) -> str | None:
        edits = Edits(module)
        taken: set[cst.CSTNode] = set()
        for block in blocks(module.tree):
            for above, below in pairwise(block):
                if above not in taken and self._inline(above, below, module, edits):
                    taken |= {above, below}
        return edits.code()

    def _inline(
        self,
        above: cst.BaseStatement,
        below: cst.BaseStatement,
        module: Module,
        edits: Edits,
    ) -> bool:
        name, value = _single(above)
        if name is None or value is None or not _is_once(name, module) or has_comment(above):
            return False
        if has_any(value, *_UNMOVABLE):
            return False
        use = next((n for n in _first_names(below) if n.value == name), None)
        if use is None or (below.leading_lines and has_comment(below)):  # type: ignore[attr-defined]
            return False
        edits.change(above, lambda _: cst.RemovalSentinel.REMOVE)
        edits.replace(use, _in_parentheses(value))
        return True


_LOOSE = (
    cst.BinaryOperation | cst.UnaryOperation | cst.BooleanOperation | cst.Comparison | cst.IfExp
)


def _in_parentheses(value: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that is one whole wherever it stands."""
    if not isinstance(value, _LOOSE) or value.lpar:
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _single(statement: cst.BaseStatement) -> tuple[str | None, cst.BaseExpression | None]:
    """The name and value of `name = value`."""
    value = first_value(statement)
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        small = statement.body[0]
        if isinstance(small, cst.Assign) and len(small.targets) == 1:
            target = small.targets[0].target
            if isinstance(target, cst.Name):
                return target.value, value
    return None, None


def _is_once(name: str, module: Module) -> bool:
    """Whether a word is one local variable, set once and read once, in the whole module."""
    facts = module.facts
    return (
        facts.bound[name] == {Kind.LOCAL}
        and len(facts.variables[name]) == 2
        and not facts.is_strange
    )


def _first_names(statement: cst.BaseStatement) -> Iterator[cst.Name]:
    """The names that a statement evaluates before anything that could be noticed."""
    value = first_value(statement)
    if isinstance(value, cst.Name):
        yield value
    call = simple_call(value) if value else None
    for arg in first_arguments(call) if call else ():
        if isinstance(arg.value, cst.Name):
            yield arg.value
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        receiver = value.func.value
        if isinstance(receiver, cst.Name) and dotted_name(value.func):
            yield receiver


EXPRESSIONS = (NamedArguments(), NamedOptions(), NamedIterables(), InlinedNames())
