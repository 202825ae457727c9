"""On which paths a statement runs: always, or under which tests.

Question: which tests must come out so, and so, for a place to be reached from the beginning of its
function (or of a block around it); and does every run that comes to the end of that block come to
it. Followed: `if`, `elif`, `else`; branches that leave before (`if done: return`), which make what
stands behind them depend on the opposite; `x if test else y`, `test and x`, `test or x` inside the
statement. Exceptions are failures, no paths: the body of a `try` is as certain as the `try`, and a
branch that raises is no way around what stands behind it. A `for` is taken to make a round. Of the
rounds of a loop the last is left out: what leaves the loop is no way around the rest of its body.
Given up on: the tests of `while` and the patterns of `match` (they make a statement uncertain, and
name no test), and what a name that a test asks for is bound to between the test and the place.
Budget: one walk from the scope down to the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.completions import (
    LEAVING,
    Completion,
    completions,
    constant_truth,
    is_dead,
)
from dlint.analyses.control.places import may_leave_between, statement_around
from dlint.analyses.repetition import contains
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Block, If, Loop, Match, ModuleIndex, Scope, Statement, Try
from dlint.ir.remembering import remembered
from dlint.semantics.names.names import BUILTINS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


_OF_ROUND = frozenset({Completion.CONTINUE})


class PathTest(NamedTuple):
    """A test, and how it must come out for a place to be reached."""

    test: ex.Expression
    truth: bool


# -- under which tests


@told_by_code
def tests_before(scope: Scope, span: Span) -> tuple[PathTest, ...]:
    """The tests that must come out so, and so, for the code at `span` to run, outermost first."""
    return tuple(_in_block(scope.body, span))


def tests_of_call(call: ex.Call) -> tuple[PathTest, ...]:
    """The tests that must come out so, and so, for a call to be made in a run of its function."""
    return tests_before(call.scope, call.span)


def _in_block(block: Block, span: Span) -> Iterator[PathTest]:
    around = statement_around(block, span)
    for before, test in _turned_away(block):
        if before < span and not contains(before, span):
            yield test
    if around is None:
        return
    for inner in walk.blocks(around):
        if statement_around(inner, span) is not None:
            if isinstance(around, If):
                yield PathTest(around.test, inner is around.then)
            yield from _in_block(inner, span)
            return
    for expression in walk.expressions(around):
        if contains(expression.span, span):
            yield from _in_expression(expression, span)


@remembered(4096)
def _turned_away(block: Block) -> tuple[tuple[Span, PathTest], ...]:
    """What is known behind the tests of a block of which one branch leaves, by their places."""
    tests = (statement for statement in block.statements if isinstance(statement, If))
    return tuple((test.span, known) for test in tests for known in _left_before(test))


def _left_before(statement: If) -> Iterator[PathTest]:
    """What a test must have been where one branch leaves, and the place behind it is reached."""
    for branch, truth in ((statement.then, False), (statement.otherwise, True)):
        ways = completions(branch)
        if Completion.NEXT not in ways and ways & LEAVING:
            yield PathTest(statement.test, truth)


def _in_expression(expression: ex.Expression, span: Span) -> Iterator[PathTest]:
    inner = next((p for p in walk.children(expression) if contains(p.span, span)), None)
    if inner is None:
        return
    if isinstance(expression, ex.Conditional) and inner is not expression.test:
        yield PathTest(expression.test, inner is expression.then)
    elif isinstance(expression, ex.Boolean) and inner is expression.right:
        yield PathTest(expression.left, expression.operator == "and")
    yield from _in_expression(inner, span)


def is_main_guard(test: ex.Expression) -> bool:
    """Whether a test is `__name__ == "__main__"`."""
    return any(
        isinstance(part, ex.Reference) and part.name == "__name__" for part in walk.walk(test)
    )


def is_under_main_guard(scope: Scope, span: Span) -> bool:
    """Whether code of a module runs only where the module is the program that was started."""
    return any(is_main_guard(test) for test, _ in tests_before(scope, span))


def runs_at_import(call: ex.Call) -> bool:
    """Whether a call is made when its module is imported, not only when that is the program."""
    return call.scope.kind == "module" and not is_under_main_guard(call.scope, call.span)


@told_by_code
def calls_at_import(module: ModuleIndex) -> list[ex.Call]:
    """The calls that are made when a module is imported, but for those of Python's functions."""
    calls = (call for call in module.body.calls if not _is_of_python(call, module))
    return [call for call in calls if runs_at_import(call)]


def _is_of_python(call: ex.Call, module: ModuleIndex) -> bool:
    """Whether a module calls what it has from Python by its plain name: `print(…)`."""
    name = call.function
    if not isinstance(name, ex.Reference) or name.definition is not None or module.star_imports:
        return False
    return name.name in BUILTINS and not walk.bindings_of(module.body, name.name)


@told_by_code
def main_guards(module: ModuleIndex) -> list[Block]:
    """What a module runs only where it is the program that was started."""
    guards = (s for s in module.body.body.statements if isinstance(s, If))
    return [guard.then for guard in guards if is_main_guard(guard.test)]


def is_tried(statement: Statement) -> bool:
    """Whether an exception of a statement is caught, or code for that stands around it."""
    return any(isinstance(outer, Try) for outer in walk.ancestors(statement))


def handles_exception(statement: Statement) -> bool:
    """Whether a statement runs only where an exception was caught."""
    return any(
        isinstance(outer, Try) and inner.block in outer.handlers
        for inner in (statement, *walk.ancestors(statement))
        if (outer := inner.block.owner) is not None
    )


# -- always


def always_runs(statement: Statement, within: Block, *, unless_left: bool = False) -> bool:
    """Whether each run of a block that does not fail comes to a statement, once at least.

    Of a loop's body: each round that is followed by another. With `unless_left`: each run that is
    not left before the statement.
    """
    current = statement
    while unless_left or not _may_be_left_before(current, within):
        if current.block is within:
            return True
        owner = current.block.owner
        if owner is None or not _always_enters(owner, current.block):
            return False
        current = owner
    return False


def _may_be_left_before(statement: Statement, within: Block) -> bool:
    loop = within.owner if isinstance(within.owner, Loop) else None
    innermost = next(walk.enclosing_loops(statement), None)
    ways = _OF_ROUND if loop is not None and loop is innermost else LEAVING
    return may_leave_between(statement.block, ways, 0, statement.span[0])


def runs_whenever(one: Statement, other: Statement) -> bool:
    """Whether each run of their function that comes to `other` and does not fail comes to `one`."""
    steps = {outer.block: outer for outer in (other, *walk.ancestors(other))}
    current = one
    while current.block not in steps:
        owner = current.block.owner
        if owner is None or not _always_enters(owner, current.block):
            return False
        if _may_be_left_before(current, current.block):
            return False
        current = owner
    first, last = (s.span[0] for s in (steps[current.block], current))
    return not may_leave_between(current.block, LEAVING, first, last)


def _always_enters(owner: Statement, block: Block) -> bool:
    match owner:
        case If():
            return constant_truth(owner.test) is (block is owner.then)
        case Loop():
            return block is owner.body and (owner.test is None or bool(constant_truth(owner.test)))
        case Try():
            return block not in owner.handlers
        case Match():
            return False
    return True


def call_always_runs(call: ex.Call, within: Block, *, unless_left: bool = False) -> bool:
    """The same for a call: no part of an expression decides over it, or repeats it, either."""
    return always_runs(call.statement, within, unless_left=unless_left) and not is_optional(call)


def runs_each_round(call: ex.Call, loop: Loop, *, unless_left: bool = False) -> bool:
    """Whether each round of a loop makes a call, and no loop inside it makes the call again."""
    inner = next(walk.enclosing_loops(call.statement), None)
    return inner is loop and call_always_runs(call, loop.body, unless_left=unless_left)


def deciding_tests(call: ex.Call) -> list[PathTest] | None:
    """The tests that alone decide if a run of a function that is not left before makes a call.

    None where anything else decides over the call, or repeats it.
    """
    if is_optional(call) or any(walk.enclosing_loops(call.statement)):
        return None
    found: list[PathTest] = []
    current = call.statement
    while (owner := current.block.owner) is not None:
        if isinstance(owner, If):
            found.append(PathTest(owner.test, current.block is owner.then))
        elif not _always_enters(owner, current.block):
            return None
        current = owner
    return found


def is_optional(call: ex.Call, *, rounds: bool = True) -> bool:
    """Whether a part of its statement's expressions decides if a call is made, and how often.

    Without `rounds`, a comprehension that asks no condition is taken to make one, as a `for` is.
    """
    return any(_may_pass_over(e, call, rounds) for e in walk.expressions(call.statement))


def _may_pass_over(expression: ex.Expression, call: ex.Call, rounds: bool) -> bool:
    inner = next((p for p in walk.children(expression) if call in walk.walk(p)), None)
    match expression:
        case _ if inner is None:
            return False
        case ex.Conditional() if inner is not expression.test:
            return True
        case ex.Boolean() if inner is expression.right:
            return True
        case ex.Comprehension() if inner is not expression.iterables[0]:
            if rounds or expression.conditions:
                return True
    assert inner is not None
    return _may_pass_over(inner, call, rounds)


# -- what the values of the program say about the tests


def can_run(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether the tests around a call can all come out so that it runs, as far as is known."""
    if is_dead(call.statement):
        return False
    frame = context.solver.root(call.scope)
    return all(
        any(outcome is truth for outcome, _ in context.evaluator.outcomes(test, frame, 0))
        for test, truth in tests_of_call(call)
    )
