"""What tests around a place say of a value: of which class it is, or that it is none that may be.

Questions: is a value certainly an object of one of these classes where a call stands; have the
tests on the way to a place used up everything that a constructor lets through for an attribute.
Followed: `isinstance` of the same name, tests of `self.x` against constants, and in `__init__` an
`assert`, or an `if` that raises, of the attribute or of the parameter that it is set to. Given up
on: tests in other functions, attributes that are set elsewhere. Budget: the statements of the
function and of one constructor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.control.completions import Completion, completions
from dlint.analyses.control.path_tests import PathTest, tests_before, tests_of_call
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir.module import Evaluate, If, Scope, Statement
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import Class


def is_certainly(
    context: AnalysisContext, call: ex.Call, value: ex.Expression, classes: Iterable[str]
) -> bool:
    """Whether a value is of one of these library classes wherever a call is made."""
    wanted = set(classes)
    return any(
        truth and _asks_class(test, value) and _classes_in(context, test, call.scope) <= wanted
        for whole, outcome in tests_of_call(call)
        for test, truth in conjuncts(whole, truth=outcome)
    )


def conjuncts(test: ex.Expression, *, truth: bool) -> Iterator[PathTest]:
    """The tests that all come out as known when one test does: the sides of `and`, of `not or`."""
    if isinstance(test, ex.Unary) and test.operator == "not":
        yield from conjuncts(test.operand, truth=not truth)
    elif isinstance(test, ex.Boolean) and (test.operator == "and") is truth:
        yield from conjuncts(test.left, truth=truth)
        yield from conjuncts(test.right, truth=truth)
    else:
        yield PathTest(test, truth)


def _asks_class(test: ex.Expression, value: ex.Expression) -> bool:
    """Whether a test is `isinstance(value, …)` of what is now in this name."""
    asked = written(test, 0) if isinstance(test, ex.Call) and test.name == "isinstance" else None
    if not isinstance(asked, ex.Reference) or not isinstance(value, ex.Reference):
        return False
    return asked.name == value.name and asked.definition is value.definition


def _classes_in(context: AnalysisContext, test: ex.Expression, scope: Scope) -> set[str]:
    """The library classes of an `isinstance`; what is none of them has no name."""
    given = written(test, 1) if isinstance(test, ex.Call) else None
    parts = given.items if isinstance(given, ex.Sequence) else [given] if given else []
    found = [value for part in parts for value in context.values(part, scope)]
    return {value.path if isinstance(value, External) else "" for value in found} or {""}


# -- used up


def is_used_up(context: AnalysisContext, cls: Class, scope: Scope, span: Span) -> bool:
    """Whether no value that the constructor lets through comes to a place of a method."""
    tests = [p for t in tests_before(scope, span) for p in conjuncts(t.test, truth=t.truth)]
    passed = {(name, key) for t in tests for name, key in _refused(t, scope)}
    init = context.solver.classes.method(cls, "__init__")
    return init is not None and any(
        bool(keys) and keys <= {key for other, key in passed if other == name}
        for name, keys in _allowed(init)
    )


def _refused(test: PathTest, scope: Scope) -> Iterator[tuple[str, object]]:
    """The constants that an attribute does not have where `self.x == constant` has failed."""
    comparison, truth = test
    if not isinstance(comparison, ex.Comparison) or not isinstance(comparison.left, ex.Attribute):
        return
    equal = {("==", False), ("!=", True), ("in", False), ("not in", True)}
    if (comparison.operator, truth) in equal and is_self(comparison.left.value, scope):
        for key in _constants(comparison.right):
            yield comparison.left.name, key


def _constants(expression: ex.Expression) -> list[object]:
    """The value of a constant, or those of a display where all are constants."""
    parts = expression.items if isinstance(expression, ex.Sequence) else (expression,)
    found = [part.value for part in parts if isinstance(part, ex.Constant)]
    return list(found) if len(found) == len(parts) else []


def _allowed(init: Scope) -> Iterator[tuple[str, set[object]]]:
    """The attributes of which a constructor lets only some constants through, with these."""
    held = {
        value.name: s.target.name
        for s in init.stores
        if isinstance(s.target, ex.Attribute) and is_self(s.target.value, init)
        if isinstance(value := ex.unpacked(s.value), ex.Reference)
    }
    for test, truth in filter(None, map(_demanded, init.body.statements)):
        for part, outcome in conjuncts(test, truth=truth):
            if not isinstance(part, ex.Comparison):
                continue
            demands = (part.operator, outcome) in {("in", True), ("not in", False)}
            name = _attribute(part.left, init, held) if demands else None
            if name is not None:
                yield name, set(_constants(part.right))


def _demanded(statement: Statement) -> PathTest | None:
    """What must be so behind a statement: an `assert`, or an `if` that raises."""
    if isinstance(statement, Evaluate):
        value = statement.value
        if isinstance(value, ex.Opaque) and value.span == statement.span and value.children:
            value = value.children[0]  # behind it stands the message
        return PathTest(value, truth=True)
    if isinstance(statement, If) and completions(statement.then) == {Completion.RAISE}:
        return PathTest(statement.test, truth=False)
    return None


def _attribute(left: ex.Expression, init: Scope, held: dict[str, str]) -> str | None:
    """The attribute that a constructor's test is about: `self.x`, or the parameter behind it."""
    if isinstance(left, ex.Attribute) and is_self(left.value, init):
        return left.name
    return held.get(left.name) if isinstance(left, ex.Reference) else None
