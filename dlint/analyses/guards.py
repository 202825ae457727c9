"""Tests on the way to a statement, and whether they are switches that are off by default."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, Question, Slice, entered_by
from dlint.analyses.callees import is_self
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.object_state.attribute_defaults import own_default
from dlint.analyses.object_state.file_data import Guard
from dlint.analyses.object_state.sample_access import is_tested
from dlint.analyses.value_parts import origin_of
from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.semantics.calls.binding import UnpackedItem, bound_to
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.values import NONE, UNKNOWN, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.data_taint import DataTaint

CACHING = lazily(r"cach|pre_?load|pre_?fetch|memory|in_?mem|(^|_)ram($|_)|eager|load_all", re.I)
"""Words of switches that keep data in memory."""

_SPLITS = lazily(r"train|test|val|split|eval|mode", re.I)
"""Words of flags that say which part of the data is read, not whether it is."""


def on_way(frame: CallContext, span: Span) -> Iterator[Guard]:
    """The tests on the way to a place, and to the calls that led there."""
    current: CallContext | None = frame
    while current is not None:
        for test, truth in tests_before(current.scope, span):
            yield Guard(test, truth, current)
        if current.call is None:
            return
        span, current = current.call.span, current.caller


def around(frame: CallContext, span: Span) -> Iterator[Guard]:
    """The tests on the way to a place, and to where the functions on it were defined."""
    yield from on_way(frame, span)
    for one in (frame, *frame.chain()):
        if one.closure is not None and one.closure.scope.kind == "function":
            yield from on_way(one.closure, one.scope.span)


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


def is_left_out(context: AnalysisContext, frame: CallContext, span: Span) -> bool:
    """Whether a test on the way to a place fails where each option has its default."""
    return any(
        constant_folding.truth(Slice(context, _AS_IT_IS).of(test, frame)) is (not truth)
        for test, truth in tests_before(frame.scope, span)
    )


def is_never_reached(context: AnalysisContext, frame: CallContext, span: Span) -> bool:
    """Whether a test on the way to a place, or to the calls that led there, certainly fails.

    What is only a default is no certainty: somebody may pass something else.
    """
    return any(
        comes_out(context, guard.test, guard.frame, truth=guard.truth) is False
        for guard in on_way(frame, span)
    )


def comes_out(
    context: AnalysisContext, test: ex.Expression, frame: CallContext, *, truth: bool
) -> bool | None:
    """Whether a test comes out so in one activation; None where that is not known."""
    found = context.evaluator.of(test, frame)
    left_out = _rests_on_what_is_left_out(test, frame)
    outcomes = {None if a.assumed and not left_out else a.truth for a in found}
    outcome = outcomes.pop() if len(outcomes) == 1 else None
    outcome = _of_left_out(test, frame) if outcome is None else outcome
    return None if outcome is None else outcome is truth


def results_by_tests(
    context: AnalysisContext, call: ex.Call, frame: CallContext
) -> Iterator[Located]:
    """What the functions return that a call enters, as tests may come out in this activation."""
    for scope, entered in entered_by(context, call, frame):
        for result in scope.returns:
            tests = tests_before(scope, result.span)
            if all(comes_out(context, t.test, entered, truth=t.truth) is not False for t in tests):
                yield from _sides(context, result, entered)


def _sides(
    context: AnalysisContext, result: ex.Expression, frame: CallContext
) -> Iterator[Located]:
    """What `x if test else y` may be in one activation, or the expression itself."""
    if not isinstance(result, ex.Conditional):
        yield result, frame
        return
    for side, truth in ((result.then, True), (result.otherwise, False)):
        if comes_out(context, result.test, frame, truth=truth) is not False:
            yield from _sides(context, side, frame)


def _rests_on_what_is_left_out(test: ex.Expression, frame: CallContext) -> bool:
    """Whether a test reads parameters alone that the calls in hand leave to their defaults."""
    parts = [part for part in walk.walk(test) if isinstance(part, ex.Reference)]
    return bool(parts) and all(_left_to_default(part, frame) for part in parts)


def _left_to_default(expression: ex.Expression, frame: CallContext) -> Located | None:
    """The parameter that an activation's call leaves to its default, which others may hand on."""
    origin = origin_of(expression)
    while isinstance(origin, ex.Parameter) and (given := frame.given(origin.name)) is not None:
        origin, frame = origin_of(given[0]), given[1]
    if not isinstance(origin, ex.Parameter) or frame.call is None:
        return None
    return (origin, frame) if leaves_out(frame, origin.name) else None


def leaves_out(frame: CallContext, name: str) -> bool:
    """Whether the call of an activation certainly gives a parameter nothing.

    Of `**options` it is looked at what the one call gave to them of which this activation is.
    """
    bound = bound_to(frame)
    taken = None if bound is None else bound[name]
    if taken is None or taken.given is not None:
        return False
    return not any(map(_may_hold, taken.unpacked))


def _may_hold(item: UnpackedItem) -> bool:
    """Whether `**options` may hold a key: unless they are what a function is given by keywords."""
    source, bound = ex.unnamed(item.source), bound_to(item.context)
    if bound is None or not isinstance(source, ex.Parameter) or not isinstance(item.key, str):
        return True
    if bound.signature.variadic("**") != source.name:
        return True
    if bound.signature.takes_keyword(item.key):
        return False
    unpacked = bound.arguments.unpacked("**")
    further = (UnpackedItem(argument.value, where, item.key) for argument, where in unpacked)
    return bound.arguments.keyword(item.key) is not None or any(map(_may_hold, further))


def _of_left_out(test: ex.Expression, frame: CallContext) -> bool | None:
    """How a test of one parameter comes out that the call leaves to a default written out."""
    asked = ex.unnamed(test)
    if isinstance(asked, ex.Unary) and asked.operator == "not":
        inner = _of_left_out(asked.operand, frame)
        return None if inner is None else not inner
    if isinstance(asked, ex.Comparison):
        left, right = _left_out(asked.left, frame), ex.constant(asked.right)
        if left is None or right is None:
            return None
        sides = (Literal.of(side.value) for side in (left, right))
        return constant_folding.compare(asked.operator, *sides)
    default = _left_out(asked, frame)
    return None if default is None else bool(default.value)


def _left_out(expression: ex.Expression, frame: CallContext) -> ex.Constant | None:
    """The default of a parameter that the call of an activation leaves out."""
    found = _left_to_default(expression, frame)
    if found is None or not isinstance(found[0], ex.Parameter):
        return None
    parameter, made = found[0], found[1]
    specs = [spec for spec in made.scope.parameters if spec.name == parameter.name]
    return ex.constant(specs[0].default) if specs else None


def _by_default(context: AnalysisContext, test: ex.Expression, scope: Scope) -> bool | None:
    """The truth of `self.flag` by the default of the constructor's parameter `flag`."""
    default = own_default(context, test, scope)
    return None if default is None else bool(default.value)


class Switches:
    """Judges the tests on the way to what one class keeps."""

    def __init__(self, carriers: DataTaint) -> None:
        self._carriers = carriers
        self._ask = carriers.context.evaluator
        own: dict[type, Callable[..., Value]] = {
            ex.Call: _of_lookup,
            ex.Parameter: self._of_parameter,
            ex.Attribute: self._of_attribute,
        }
        self._defaults: Question[Value] = Question(UNKNOWN, agreed, {**OPERATIONS, **own})

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
        return caches or (is_flag(guard.test) and not self._is_switched(guard))

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

    def _default(self, test: ex.Expression, frame: CallContext) -> Value:
        """The value of a test if every parameter and option has its default."""
        return Slice(self._carriers.context, self._defaults).of(test, frame)

    def _of_parameter(
        self, slice_: Slice[Value], parameter: ex.Parameter, frame: CallContext
    ) -> Value:
        given = self._carriers.targets.argument(parameter.name, frame)
        if given is not None:
            return slice_.of(*given)
        spec = next((s for s in frame.scope.parameters if s.name == parameter.name), None)
        default = None if spec is None else spec.default
        return UNKNOWN if default is None else slice_.of(default, frame)

    def _of_attribute(
        self, slice_: Slice[Value], attribute: ex.Attribute, frame: CallContext
    ) -> Value:
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
        return slice_.of(*written[0]) if len(written) == 1 else UNKNOWN


# -- what operations make of values


def agreed(found: Sequence[Value]) -> Value:
    """The join: what all sides of a choice are."""
    return found[0] if len(set(found)) == 1 else UNKNOWN


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> Value:
    return Literal.of(constant.value)


def _of_unary(slice_: Slice[Value], unary: ex.Unary, frame: CallContext) -> Value:
    truth = constant_folding.truth(slice_.of(unary.operand, frame))
    return UNKNOWN if truth is None or unary.operator != "not" else Literal.of(not truth)


def _of_boolean(slice_: Slice[Value], boolean: ex.Boolean, frame: CallContext) -> Value:
    sides = (boolean.left, boolean.right)
    truths = [constant_folding.truth(slice_.of(side, frame)) for side in sides]
    decisive = boolean.operator == "or"
    if decisive in truths:
        return Literal.of(decisive)
    return UNKNOWN if None in truths else Literal.of(not decisive)


def _of_comparison(slice_: Slice[Value], test: ex.Comparison, frame: CallContext) -> Value:
    left, right = (slice_.of(side, frame) for side in (test.left, test.right))
    outcome = constant_folding.compare(test.operator, left, right)
    return UNKNOWN if outcome is None else Literal.of(outcome)


def _of_lookup(slice_: Slice[Value], call: ex.Call, frame: CallContext) -> Value:
    """`config.get("cache", False)`, `getattr(args, "cache", False)`."""
    position = {"get": 1, "pop": 1, "getattr": 2}.get(call.name or "")
    if position is None or not call.arguments or call.arguments[0].star:
        return UNKNOWN
    if len(call.arguments) > position:
        return slice_.of(call.arguments[position].value, frame)
    return NONE if call.name == "get" and len(call.arguments) == 1 else UNKNOWN


OPERATIONS: dict[type, Callable[..., Value]] = {
    ex.Constant: _of_constant,
    ex.Unary: _of_unary,
    ex.Boolean: _of_boolean,
    ex.Comparison: _of_comparison,
}
"""What constants are, and what operators make of known values."""


def _of_setting(slice_: Slice[Value], part: ex.Expression, frame: CallContext) -> Value:
    """The one value of an option or a parameter, if only by its default."""
    values = {a.value for a in slice_.context.evaluator.of(part, frame)}
    value = values.pop() if len(values) == 1 else UNKNOWN
    return value if isinstance(value, Literal) else UNKNOWN


_AS_IT_IS: Question[Value] = Question(
    UNKNOWN, agreed, {**OPERATIONS, ex.Attribute: _of_setting, ex.Parameter: _of_setting}
)
"""The value of a test, if nobody gives a program other options."""


def _names(test: ex.Expression) -> list[str]:
    """The names and texts that a test is written with."""
    found = []
    for part in walk.walk(test):
        if isinstance(part, ex.Reference | ex.Attribute):
            found.append(part.own_name)
        elif isinstance(part, ex.Constant) and isinstance(part.value, str):
            found.append(part.value)
    return found


def is_flag(test: ex.Expression) -> bool:
    """Whether a test asks for the truth of one name: `if self.keep:`, `if not lazy:`."""
    while isinstance(test, ex.Unary) and test.operator == "not":
        test = test.operand
    return isinstance(test, ex.Reference | ex.Attribute)
