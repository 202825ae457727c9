"""Alternatives of dict items and of arguments, also through `**kwargs` and later updates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.frontends.settings_files import Group
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.libraries import argparsing
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import ABSENT, Alternative, Found, merged
from dlint.semantics.values.conditions import ALWAYS, Condition, Conditions
from dlint.semantics.values.dict_writes import Write, writes
from dlint.semantics.values.values import UNKNOWN, Container, Namespace, Rest, Value

if TYPE_CHECKING:
    from dlint.semantics.values.evaluator import Alternatives

Outcomes = list[tuple[bool, Conditions]]


def argument(
    ask: Alternatives, passed: Passed, position: int | None, name: str, depth: int = 0
) -> Found:
    """What a call gives to a parameter; `ABSENT` where it may give nothing."""
    given = passed.keyword(name)
    if given is not None:
        return ask.of(given[0].value, given[1], depth)
    if position is not None:
        index = 0
        for one, frame in passed.arguments:
            if one.star == "*":
                return _starred(ask, one, frame, position - index)
            if one.keyword is None and not one.star:
                if index == position:
                    return ask.of(one.value, frame, depth)
                index += 1
    found: Found = [Alternative(ABSENT)]
    for one, frame in passed.unpacked("**"):
        found = overlaid(item(ask, one.value, frame, name, depth), found)
    return found


def _starred(ask: Alternatives, given: ex.Argument, frame: Frame, position: int) -> Found:
    """An argument inside `*x`: known where x is a list of known length."""
    values = ask.flow.values(given.value, frame)
    if len(values) == 1:
        value = next(iter(values))
        if isinstance(value, Container) and isinstance(value.origin, ex.Sequence):
            parts = value.origin.items
            if position < len(parts) and not any(isinstance(p, ex.Starred) for p in parts):
                return ask.of(parts[position], value.frame)
            if position >= len(parts):
                return [Alternative(ABSENT)]
    return [Alternative(UNKNOWN)]


def overlaid(upper: Found, lower: Found) -> Found:
    """`upper`, and `lower` where the upper one gives nothing."""
    found: Found = []
    for one in upper:
        if one.value != ABSENT:
            found.append(one)
            continue
        for other in lower:
            if conditions.compatible(one.when, other.when):
                found.append(replace(other, when=one.when | other.when))
    return merged(found)


def item(ask: Alternatives, mapping: ex.Expression, frame: Frame, key: str, depth: int) -> Found:
    """What a dict holds under `key`; `ABSENT` where it may hold nothing there."""
    if depth > 24:
        return [Alternative(UNKNOWN)]
    match mapping:
        case ex.Reference() if mapping.definition is not None:
            found = _defined(ask, mapping.definition, frame, key, depth)
            return _mutated(ask, mapping, frame, key, found, depth)
        case ex.Mapping():
            return _literal(ask, mapping, frame, key, depth)
        case ex.Conditional():
            return [
                replace(a, when=a.when | when)
                for truth, when in ask.outcomes(mapping.test, frame, depth)
                for a in item(
                    ask, mapping.then if truth else mapping.otherwise, frame, key, depth + 1
                )
                if conditions.compatible(a.when, when)
            ]
        case ex.Binary() if mapping.operator == "|":
            left = item(ask, mapping.left, frame, key, depth + 1)
            return overlaid(item(ask, mapping.right, frame, key, depth + 1), left)
        case ex.Boolean() if mapping.operator == "or":
            left = item(ask, mapping.left, frame, key, depth + 1)
            return overlaid(left, item(ask, mapping.right, frame, key, depth + 1))
        case ex.Parameter():
            return _parameter(ask, mapping, frame, key, depth)
        case ex.Call() if _makes_dict(ask, mapping, frame):
            passed = Passed(tuple((one, frame) for one in mapping.arguments))
            return _keywords(ask, passed, key, depth)
    return _flowing(ask, mapping, frame, key, depth)


def _defined(
    ask: Alternatives, definition: ex.Definition, frame: Frame, key: str, depth: int
) -> Found:
    value = definition.value
    if isinstance(value, ex.Conditional):
        # both sides are definitions of the same name: what is written to it is added once, outside
        return [
            replace(a, when=a.when | when)
            for truth, when in ask.outcomes(value.test, frame, depth)
            for a in _side(ask, value.then if truth else value.otherwise, frame, key, depth)
            if conditions.compatible(a.when, when)
        ]
    return item(ask, value, frame, key, depth + 1)


def _side(ask: Alternatives, side: ex.Expression, frame: Frame, key: str, depth: int) -> Found:
    if isinstance(side, ex.Reference) and side.definition is not None:
        return _defined(ask, side.definition, frame, key, depth + 1)
    return item(ask, side, frame, key, depth + 1)


def _makes_dict(ask: Alternatives, call: ex.Call, frame: Frame) -> bool:
    return any(
        isinstance(value, Container) and value.origin is call
        for value in ask.flow.values(call, frame)
    )


def _literal(ask: Alternatives, mapping: ex.Mapping, frame: Frame, key: str, depth: int) -> Found:
    """A dict display; later items win."""
    if isinstance(mapping, Group):
        return ask.flow.config_files.item(ask, mapping, key, depth)
    found: Found = [Alternative(ABSENT)]
    for name, value in mapping.items:
        if name is None:
            found = overlaid(item(ask, value, frame, key, depth + 1), found)
        elif isinstance(name, ex.Constant):
            if name.value == key:
                found = ask.of(value, frame, depth)
        else:
            found = [*found, Alternative(UNKNOWN)]
    return found


def _keywords(ask: Alternatives, passed: Passed, key: str, depth: int) -> Found:
    """`dict(other, a=1, **more)`, and what `**kwargs` takes of a call."""
    given = passed.keyword(key)
    if given is not None:
        return ask.of(given[0].value, given[1], depth)
    found: Found = [Alternative(ABSENT)]
    for one, frame in passed.arguments:
        if one.star == "**" or (one.keyword is None and not one.star):
            found = overlaid(item(ask, one.value, frame, key, depth + 1), found)
    return found


def _parameter(
    ask: Alternatives, parameter: ex.Parameter, frame: Frame, key: str, depth: int
) -> Found:
    scope = frame.scope
    index = next((i for i, s in enumerate(scope.parameters) if s.name == parameter.name), None)
    if index is None:
        return [Alternative(UNKNOWN)]
    spec = scope.parameters[index]
    if index == 0 and scope.decorators:
        settings = ask.flow.config_files.of_main(scope)
        if settings is not None:
            return _of_value(ask, settings, key, depth)
    if frame.call is None:
        found: Found = []
        for entered in ask.callers(scope):
            condition = Condition(("call", scope), entered.call)
            for a in _parameter(ask, parameter, entered, key, depth + 1):
                found.append(replace(a, when=a.when | {condition}))
        return found or [Alternative(UNKNOWN)]
    assert frame.passed is not None
    if spec.kind == "starstar":
        return _rest(ask, frame, key, depth)
    shift = 1 if frame.receiver is not None else 0
    position = None if spec.kind == "keyword" else index - shift
    expression = argument_expression(frame.passed, position, spec.name)
    if expression is not None:
        return item(ask, expression[0].value, expression[1], key, depth + 1)
    return (
        [Alternative(UNKNOWN)]
        if spec.default is None
        else item(ask, spec.default, ask.flow.root(scope.parent or scope), key, depth + 1)
    )


def _rest(ask: Alternatives, frame: Frame, key: str, depth: int) -> Found:
    assert frame.passed is not None
    if key in {spec.name for spec in frame.scope.parameters}:
        return [Alternative(ABSENT)]
    named = [pair for pair in frame.passed.arguments if pair[0].keyword or pair[0].star == "**"]
    return _keywords(ask, Passed(tuple(named)), key, depth)


def argument_expression(
    passed: Passed, position: int | None, name: str
) -> tuple[ex.Argument, Frame] | None:
    """What a call gives to a parameter, with the frame it stands in; None for no single one."""
    given = passed.keyword(name)
    if given is not None or position is None:
        return given
    positional = passed.positional()
    return positional[position] if positional and position < len(positional) else None


def _flowing(
    ask: Alternatives, mapping: ex.Expression, frame: Frame, key: str, depth: int
) -> Found:
    """Dicts that come from elsewhere: attributes, results of functions, names of other scopes."""
    values = ask.flow.values(mapping, frame)
    if ask.flow.config_files.is_one_of(values):
        return [Alternative(UNKNOWN)]
    found: Found = []
    for value in values:
        for a in _of_value(ask, value, key, depth):
            when = a.when
            if len(values) > 1:
                when = when | {Condition(("one of", mapping, frame), value)}
            found.append(replace(a, when=when))
    found = merged(found) if values else [Alternative(UNKNOWN)]
    return _mutated(ask, mapping, frame, key, found, depth)


def _of_value(ask: Alternatives, value: Value, key: str, depth: int) -> Found:
    if isinstance(value, Container) and isinstance(value.origin, ex.Call | ex.Mapping):
        return _of_container(ask, value, value.origin, key, depth)
    if isinstance(value, Rest) and value.frame.passed is not None:
        return _rest(ask, value.frame, key, depth + 1)
    if isinstance(value, Namespace):
        return argparsing.read(ask, value, key, depth)
    return [Alternative(UNKNOWN)]


def _of_container(
    ask: Alternatives, value: Container, origin: ex.Call | ex.Mapping, key: str, depth: int
) -> Found:
    """A dict that another function made, after what that function wrote to it."""
    if isinstance(origin, ex.Mapping):
        found = _literal(ask, origin, value.frame, key, depth + 1)
    else:
        passed = Passed(tuple((one, value.frame) for one in origin.arguments))
        found = _keywords(ask, passed, key, depth + 1)
    for definition in value.frame.scope.definitions:
        if definition.value is origin:
            for write in writes(ask.flow, value.frame, definition.name, key):
                if write.statement.span > definition.span:
                    found = _written(ask, write, value.frame, key, found, depth)
    return found


# -- what is written to a dict after it was made


def _mutated(
    ask: Alternatives,
    name: ex.Expression,
    frame: Frame,
    key: str,
    found: Found,
    depth: int,
) -> Found:
    """`found` after the writes to the variable that stand between its definition and this use."""
    if not isinstance(name, ex.Reference):
        return found
    home = frame
    while name.definition is None and home.closure is not None:
        if any(True for _ in ask.flow.bindings(home.scope, name.name)):
            break
        home = home.closure
    first = name.definition.span[0] if name.definition is not None else 0
    last = name.span[0] if name.definition is not None else home.scope.span[1]
    for write in writes(ask.flow, home, name.name, key):
        if not first <= write.statement.span[0] < last and not _is_meeting(name):
            continue
        if write.end > last:
            continue
        found = _written(ask, write, home, key, found, depth)
    return found


def _is_meeting(name: ex.Reference) -> bool:
    definition = name.definition
    return definition is not None and isinstance(definition.value, ex.Conditional | ex.Join)


def _written(
    ask: Alternatives, write: Write, frame: Frame, key: str, found: Found, depth: int
) -> Found:
    tests = [test for test, _ in walk.tests(write.statement)]
    value = write.value
    if write.is_possible:
        return [*found, Alternative(UNKNOWN)]
    if value is None:
        new: Found = [Alternative(ABSENT)]
    elif (
        isinstance(value, ex.Call) and value.name == "update" and value.statement is write.statement
    ):
        passed = Passed(tuple((one, frame) for one in value.arguments))
        new = overlaid(_keywords(ask, passed, key, depth + 1), found)
    else:
        new = ask.of(value, frame, depth + 1)
    if write.weak:
        new = overlaid(found, new)
    ways = [ask.outcomes(test, frame, depth + 1) for test in tests]
    if not ways:
        return new
    taken = [
        replace(a, when=a.when | when)
        for when in _all_of(ways, [truth for _, truth in walk.tests(write.statement)])
        for a in new
        if conditions.compatible(a.when, when)
    ]
    kept = [
        replace(a, when=a.when | when)
        for outcomes, (_, truth) in zip(ways, walk.tests(write.statement), strict=True)
        for outcome, when in outcomes
        for a in found
        if outcome is not truth and conditions.compatible(a.when, when)
    ]
    return merged([*taken, *kept])


def _all_of(ways: list[Outcomes], truths: list[bool]) -> list[Conditions]:
    """The ways in which every test comes out as wanted."""
    found: list[Conditions] = [ALWAYS]
    for outcomes, truth in zip(ways, truths, strict=True):
        wanted = [when for outcome, when in outcomes if outcome is truth]
        found = [a | b for a in found for b in wanted if conditions.compatible(a, b)]
    return found
