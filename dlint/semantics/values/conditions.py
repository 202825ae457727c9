"""Conditions under which a value holds: which tests were taken to be true or false.

Questions: can two sets of conditions hold at once, and are two tests the same one? A set of
(test, outcome) pairs is a path condition; tests are compared by their structure and the definitions
of their names, a parameter by the argument of its activation, and a call without arguments is taken
to answer the same each time. Sets that speak of no common test are compatible.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallArguments, CallContext

_NEGATED = {"!=": "==", "is not": "is", "not in": "in", "<=": ">", "<": ">="}


@dataclass(frozen=True, slots=True)
class Condition:
    """`test` (by its structure) came out as `outcome`: a truth value, or one of several calls."""

    test: object
    outcome: object

    @property
    def is_test(self) -> bool:
        """Whether it is a test in the program or a choice of a caller, rather than one of several
        possibilities that nothing is known about."""
        kind = self.test[0] if isinstance(self.test, tuple) and self.test else None
        return kind not in ("one of", "join", "return", "field")

    @property
    def is_of_call(self) -> bool:
        """Whether it is the choice of one call of several, rather than a test."""
        return isinstance(self.test, tuple) and self.test[:1] == ("call",)


Conditions = frozenset[Condition]
ALWAYS: Conditions = frozenset()


def compatible(left: Conditions, right: Conditions) -> bool:
    """Whether both can hold at once, as far as they speak of the same tests."""
    outcomes = {condition.test: condition.outcome for condition in left}
    return all(outcomes.get(c.test, c.outcome) == c.outcome for c in right)


def may_exclude(left: Conditions, right: Conditions) -> bool:
    """Whether both may exclude each other, as tests of one name come out differently in them.

    It may be one value: that of an argument, and of the attribute that a constructor writes.
    """
    outcomes: dict[object, object] = {}
    return any(outcomes.setdefault(_named(c.test), c.outcome) != c.outcome for c in left | right)


def _named(test: object) -> object:
    match test:
        case (".", _, name) | ("name", name):
            return name
        case (ex.Definition() as definition, _):
            return definition.name
        case tuple():
            return tuple(map(_named, test))
    return test


def of_test(test: ex.Expression, frame: CallContext, truth: bool) -> Condition:
    """The condition that `test` is true (or false); `a != b` is `a == b` the other way round."""
    while isinstance(test, ex.Unary) and test.operator == "not":
        test, truth = test.operand, not truth
    if isinstance(test, ex.Call) and (asked := _truth_asked(test, frame)) is not None:
        return of_test(asked, frame, truth)
    if isinstance(test, ex.Comparison) and test.operator in _NEGATED:
        operator = _NEGATED[test.operator]
        return Condition((operator, key(test.left, frame), key(test.right, frame)), not truth)
    return Condition(key(test, frame), truth)


def key(expression: ex.Expression, frame: CallContext) -> object:
    """What two writings of one test have in common."""
    match expression:
        case ex.Constant():
            return (type(expression.value), expression.value)
        case ex.Reference():
            definition = expression.definition
            if definition is None:
                return ("name", expression.name)
            if isinstance(definition.value, ex.Reference | ex.Attribute | ex.Imported):
                return key(definition.value, frame)
            given = _receiver(definition, frame) or _given(definition, frame)
            return (definition, frame) if given is None else key(*given)
        case ex.Imported():
            return ("name", expression.name or expression.module)
        case ex.Attribute():
            return (".", key(expression.value, frame), expression.name)
        case ex.Comparison():
            operator = _NEGATED.get(expression.operator, expression.operator)
            return (operator, key(expression.left, frame), key(expression.right, frame))
        case ex.Unary():
            return (expression.operator, key(expression.operand, frame))
        case ex.Call():
            return _call_key(expression, frame)
    return (expression, frame)


def _given(
    definition: ex.Definition, frame: CallContext
) -> tuple[ex.Expression, CallContext] | None:
    """What the call of an activation gives to a parameter, as long as that has its name."""
    name = definition.value.name if isinstance(definition.value, ex.Parameter) else None
    specs = (
        s for s in frame.scope.parameters if s.name == name and definition.scope is frame.scope
    )
    is_plain = any(spec.kind not in ("star", "starstar") for spec in specs)
    return frame.given(name) if is_plain and name is not None else None


def _receiver(
    definition: ex.Definition, frame: CallContext
) -> tuple[ex.Expression, CallContext] | None:
    """What a method is called on, of its `self`; None of other names, and in a root frame."""
    if frame.receiver is None or frame.call is None or frame.caller is None:
        return None
    callee, known = frame.call.function, frame.scope.definitions[:1]
    if not isinstance(callee, ex.Attribute) or not any(definition is one for one in known):
        return None
    return callee.value, frame.caller


def _call_key(call: ex.Call, frame: CallContext) -> object:
    """A call without arguments is taken to answer the same each time (`is_available()`)."""
    if not call.arguments:
        return ("()", key(call.function, frame))
    access = attribute_asked(call, frame)
    return (call, frame) if access is None else key(access, frame)


def _truth_asked(call: ex.Call, frame: CallContext) -> ex.Expression | None:
    """`x` of `bool(x)`."""
    given = CallArguments.of(call.arguments, frame).at(0)
    if call.name != "bool" or len(call.arguments) != 1 or given is None:
        return None
    return given[0][0].value


def attribute_asked(call: ex.Call, frame: CallContext) -> ex.Attribute | None:
    """`x.name` of `getattr(x, "name")`; a default is what the name would be without it."""
    passed = CallArguments.of(call.arguments, frame)
    value, name = passed.at(0), passed.at(1)
    if call.name != "getattr" or value is None or name is None or name[1] is not None:
        return None
    text = ex.constant(name[0][0].value)
    if value[1] is not None or text is None or not isinstance(text.value, str):
        return None
    return ex.Attribute(call.span, value[0][0].value, text.value)
