"""Tests on the way to a statement, and whether they are switches that are off by default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.object_state.attribute_defaults import own_default
from dlint.analyses.object_state.file_data import Guard
from dlint.analyses.object_state.sample_access import is_tested
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.values import NONE, UNKNOWN, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.data_taint import DataTaint

CACHING = re.compile(r"cach|pre_?load|pre_?fetch|memory|in_?mem|(^|_)ram($|_)|eager|load_all", re.I)
"""Words of switches that keep data in memory."""

_SPLITS = re.compile(r"train|test|val|split|eval|mode", re.I)
"""Words of flags that say which part of the data is read, not whether it is."""

_DEPTH = 8


def on_way(frame: CallContext, span: Span) -> Iterator[Guard]:
    """The tests on the way to a place, and to the calls that led there."""
    current: CallContext | None = frame
    while current is not None:
        for test, truth in tests_before(current.scope, span):
            yield Guard(test, truth, current)
        if current.call is None:
            return
        span, current = current.call.span, current.caller


def is_off(context: AnalysisContext, frame: CallContext, span: Span) -> bool:
    """Whether a test on the way to a place comes out otherwise, whatever the project passes.

    That may be by a default alone, also where not all that is passed is known.
    """
    for test, truth in tests_before(frame.scope, span):
        found = {a.truth for a in context.evaluator.of(test, frame)}
        if found == {not truth}:
            return True
        if truth not in found and _by_default(context, test, frame.scope) is (not truth):
            return True
    return False


def _by_default(context: AnalysisContext, test: ex.Expression, scope: Scope) -> bool | None:
    """The truth of `self.flag` by the default of the constructor's parameter `flag`."""
    default = own_default(context, test, scope)
    return None if default is None else bool(default.value)


class Switches:
    """Judges the tests on the way to what one class keeps."""

    def __init__(self, carriers: DataTaint) -> None:
        self._carriers = carriers
        self._ask = carriers.context.evaluator

    def is_off(self, guard: Guard) -> bool:
        """Whether a test keeps the code from running unless somebody asks for it.

        A parameter or option whose default says no is off, whoever overrides it; so is a switch
        for caching of which nothing is known.
        """
        if self._is_passed_over(guard):
            return True
        names = _names(guard.test)
        caches = any(CACHING.search(name) for name in names)
        if not caches and any(_SPLITS.search(name) for name in names):
            return False
        default = constant_folding.truth(self._default(guard.test, guard.frame))
        if default is not None:
            return default is not guard.truth
        return caches or (_is_flag(guard.test) and not self._is_switched(guard))

    def is_off_by_default(self, guard: Guard) -> bool:
        """Whether a test keeps the code from running: by all that is passed, or by a default."""
        default = constant_folding.truth(self._default(guard.test, guard.frame))
        return self._is_passed_over(guard) or default is (not guard.truth)

    def _is_passed_over(self, guard: Guard) -> bool:
        found = {a.truth for a in self._ask.of(guard.test, guard.frame)}
        return None not in found and guard.truth not in found

    def is_choice(self, guard: Guard) -> bool:
        """Whether a switch for caching decides a test, which the code that takes samples has too.

        Or one that is known to have a default.
        """
        if not any(map(CACHING.search, _names(guard.test))):
            return False
        if any(a.assumed is not None for a in self._ask.of(guard.test, guard.frame)):
            return True
        kept = guard.test.name if isinstance(guard.test, ex.Attribute) else None
        return kept is not None and is_tested(self._carriers.context, self._carriers.cls, kept)

    def _is_switched(self, guard: Guard) -> bool:
        """Whether some call in the project is seen to switch a flag on."""
        flag, truth = guard.test, guard.truth
        while isinstance(flag, ex.Unary):
            flag, truth = flag.operand, not truth
        return any(a.truth is truth for a in self._ask.of(flag, guard.frame))

    def _default(self, expression: ex.Expression, frame: CallContext, depth: int = _DEPTH) -> Value:
        """The value of a test if every parameter and option has its default."""
        if depth == 0:
            return UNKNOWN
        match expression:
            case ex.Constant():
                return Literal.of(expression.value)
            case ex.Reference() if expression.definition is not None:
                return self._default(expression.definition.value, frame, depth - 1)
            case ex.Parameter():
                return self._of_parameter(expression, frame, depth)
            case ex.Attribute():
                return self._of_attribute(expression, frame, depth)
            case ex.Unary() if expression.operator == "not":
                inner = constant_folding.truth(self._default(expression.operand, frame, depth - 1))
                return UNKNOWN if inner is None else Literal.of(not inner)
            case ex.Boolean():
                return self._of_boolean(expression, frame, depth)
            case ex.Comparison():
                sides = (expression.left, expression.right)
                left, right = (self._default(side, frame, depth - 1) for side in sides)
                outcome = constant_folding.compare(expression.operator, left, right)
                return UNKNOWN if outcome is None else Literal.of(outcome)
            case ex.Call():
                return self._of_lookup(expression, frame, depth)
        return UNKNOWN

    def _of_parameter(self, parameter: ex.Parameter, frame: CallContext, depth: int) -> Value:
        given = self._carriers.targets.argument(parameter.name, frame)
        if given is not None:
            return self._default(given[0], given[1], depth - 1)
        spec = next((s for s in frame.scope.parameters if s.name == parameter.name), None)
        if spec is None or spec.default is None:
            return UNKNOWN
        return self._default(spec.default, frame, depth - 1)

    def _of_attribute(self, attribute: ex.Attribute, frame: CallContext, depth: int) -> Value:
        """An attribute of the object, by the one thing that is written to it; options."""
        if not is_self(attribute.value, frame.scope):
            found = self._ask.of(attribute, frame)
            values = {a.value for a in found if a.assumed is not None}
            value = values.pop() if len(values) == 1 else UNKNOWN
            return value if isinstance(value, Literal) else UNKNOWN
        written = [
            (store.value, where)
            for where in self._carriers.activations
            for store in where.scope.stores
            if isinstance(store.target, ex.Attribute)
            and store.target.name == attribute.name
            and is_self(store.target.value, where.scope)
        ]
        return self._default(*written[0], depth - 1) if len(written) == 1 else UNKNOWN

    def _of_boolean(self, expression: ex.Boolean, frame: CallContext, depth: int) -> Value:
        sides = (expression.left, expression.right)
        truths = [constant_folding.truth(self._default(side, frame, depth - 1)) for side in sides]
        decisive = expression.operator == "or"
        if decisive in truths:
            return Literal.of(decisive)
        return UNKNOWN if None in truths else Literal.of(not decisive)

    def _of_lookup(self, call: ex.Call, frame: CallContext, depth: int) -> Value:
        """`config.get("cache", False)`, `getattr(args, "cache", False)`."""
        position = {"get": 1, "pop": 1, "getattr": 2}.get(call.name or "")
        if position is None or not call.arguments or call.arguments[0].star:
            return UNKNOWN
        if len(call.arguments) > position:
            return self._default(call.arguments[position].value, frame, depth - 1)
        return NONE if call.name == "get" and len(call.arguments) == 1 else UNKNOWN


def _names(test: ex.Expression) -> list[str]:
    """The names and texts that a test is written with."""
    found = []
    for part in walk.walk(test):
        if isinstance(part, ex.Reference | ex.Attribute):
            found.append(part.name)
        elif isinstance(part, ex.Constant) and isinstance(part.value, str):
            found.append(part.value)
    return found


def _is_flag(test: ex.Expression) -> bool:
    """Whether a test asks for the truth of one name: `if self.keep:`, `if not lazy:`."""
    while isinstance(test, ex.Unary) and test.operator == "not":
        test = test.operand
    return isinstance(test, ex.Reference | ex.Attribute)
