"""Alternatives of dict items and of arguments, also through `**kwargs` and later updates."""

from __future__ import annotations

from dataclasses import replace

from dlint.frontends.settings_files import Group
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import (
    ABSENT,
    ConditionalValue,
    ConditionalValues,
    merged,
)
from dlint.semantics.values.conditions import ALWAYS, Condition, Conditions
from dlint.semantics.values.dict_writes import Write, writes
from dlint.semantics.values.evaluator import Evaluator, Holding
from dlint.semantics.values.values import UNKNOWN, Container, VarArgs

Outcomes = list[tuple[bool, Conditions]]


def argument(
    evaluator: Evaluator, passed: CallArguments, position: int | None, name: str, depth: int = 0
) -> ConditionalValues:
    """What a call gives to a parameter; `ABSENT` where it may give nothing."""
    given = passed.keyword(name)
    if given is not None:
        return evaluator.of(given[0].value, given[1], depth)
    if position is not None:
        index = 0
        for one, frame in passed.arguments:
            if one.star == "*":
                return _starred(evaluator, one, frame, position - index)
            if one.keyword is None and not one.star:
                if index == position:
                    return evaluator.of(one.value, frame, depth)
                index += 1
    found: ConditionalValues = [ConditionalValue(ABSENT)]
    for one, frame in passed.unpacked("**"):
        found = overlaid(item(evaluator, one.value, frame, name, depth), found)
    return found


def _starred(
    evaluator: Evaluator, given: ex.Argument, frame: CallContext, position: int
) -> ConditionalValues:
    """An argument inside `*x`: known where x is a list of known length."""
    values = evaluator.solver.values(given.value, frame)
    if len(values) == 1:
        value = next(iter(values))
        if isinstance(value, Container) and isinstance(value.origin, ex.Sequence):
            parts = value.origin.items
            if position < len(parts) and not any(isinstance(p, ex.Starred) for p in parts):
                return evaluator.of(parts[position], value.frame)
            if position >= len(parts):
                return [ConditionalValue(ABSENT)]
    return [ConditionalValue(UNKNOWN)]


def overlaid(upper: ConditionalValues, lower: ConditionalValues) -> ConditionalValues:
    """`upper`, and `lower` where the upper one gives nothing."""
    found: ConditionalValues = []
    for one in upper:
        if one.value != ABSENT:
            found.append(one)
            continue
        for other in lower:
            if conditions.compatible(one.path_condition, other.path_condition):
                found.append(
                    replace(other, path_condition=one.path_condition | other.path_condition)
                )
    return merged(found)


def item(
    evaluator: Evaluator, mapping: ex.Expression, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    """What a dict holds under `key`; `ABSENT` where it may hold nothing there."""
    if depth > 24:
        return [ConditionalValue(UNKNOWN)]
    match mapping:
        case ex.Reference() if mapping.definition is not None:
            found = _defined(evaluator, mapping.definition, frame, key, depth)
            return _mutated(evaluator, mapping, frame, key, found, depth)
        case ex.Mapping():
            return _literal(evaluator, mapping, frame, key, depth)
        case ex.Conditional():
            return [
                replace(a, path_condition=a.path_condition | path_condition)
                for truth, path_condition in evaluator.outcomes(mapping.test, frame, depth)
                for a in item(
                    evaluator, mapping.then if truth else mapping.otherwise, frame, key, depth + 1
                )
                if conditions.compatible(a.path_condition, path_condition)
            ]
        case ex.Binary() if mapping.operator == "|":
            left = item(evaluator, mapping.left, frame, key, depth + 1)
            return overlaid(item(evaluator, mapping.right, frame, key, depth + 1), left)
        case ex.Boolean() if mapping.operator == "or":
            left = item(evaluator, mapping.left, frame, key, depth + 1)
            return overlaid(left, item(evaluator, mapping.right, frame, key, depth + 1))
        case ex.Parameter():
            return _parameter(evaluator, mapping, frame, key, depth)
        case ex.Call() if _makes_dict(evaluator, mapping, frame):
            passed = CallArguments.of(mapping.arguments, frame)
            return _keywords(evaluator, passed, key, depth)
    return _flowing(evaluator, mapping, frame, key, depth)


def _defined(
    evaluator: Evaluator, definition: ex.Definition, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    value = definition.value
    if isinstance(value, ex.Conditional):
        # both sides are definitions of the same name: what is written to it is added once, outside
        return [
            replace(a, path_condition=a.path_condition | path_condition)
            for truth, path_condition in evaluator.outcomes(value.test, frame, depth)
            for a in _side(evaluator, value.then if truth else value.otherwise, frame, key, depth)
            if conditions.compatible(a.path_condition, path_condition)
        ]
    return item(evaluator, value, frame, key, depth + 1)


def _side(
    evaluator: Evaluator, side: ex.Expression, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    if isinstance(side, ex.Reference) and side.definition is not None:
        return _defined(evaluator, side.definition, frame, key, depth + 1)
    return item(evaluator, side, frame, key, depth + 1)


def _makes_dict(evaluator: Evaluator, call: ex.Call, frame: CallContext) -> bool:
    return any(
        isinstance(value, Container) and value.origin is call
        for value in evaluator.solver.values(call, frame)
    )


def _literal(
    evaluator: Evaluator, mapping: ex.Mapping, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    """A dict display; later items win."""
    if isinstance(mapping, Group):
        return evaluator.solver[ConfigFiles].item(evaluator, mapping, key, depth)
    found: ConditionalValues = [ConditionalValue(ABSENT)]
    for name, value in mapping.items:
        if name is None:
            found = overlaid(item(evaluator, value, frame, key, depth + 1), found)
        elif isinstance(name, ex.Constant):
            if name.value == key:
                found = evaluator.of(value, frame, depth)
        else:
            found = [*found, ConditionalValue(UNKNOWN)]
    return found


def _keywords(
    evaluator: Evaluator, passed: CallArguments, key: str, depth: int
) -> ConditionalValues:
    """`dict(other, a=1, **more)`, and what `**kwargs` takes of a call."""
    given = passed.keyword(key)
    if given is not None:
        return evaluator.of(given[0].value, given[1], depth)
    found: ConditionalValues = [ConditionalValue(ABSENT)]
    for one, frame in passed.arguments:
        if one.star == "**" or (one.keyword is None and not one.star):
            found = overlaid(item(evaluator, one.value, frame, key, depth + 1), found)
    return found


def _parameter(
    evaluator: Evaluator, parameter: ex.Parameter, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    scope = frame.scope
    index = next((i for i, s in enumerate(scope.parameters) if s.name == parameter.name), None)
    if index is None:
        return [ConditionalValue(UNKNOWN)]
    spec = scope.parameters[index]
    if index == 0 and scope.decorators:
        settings = evaluator.solver[ConfigFiles].of_main(scope)
        if settings is not None:
            return evaluator.held(settings, key, depth)
    if frame.call is None:
        found: ConditionalValues = []
        for entered in evaluator.callers(scope):
            condition = Condition(("call", scope), entered.call)
            for a in _parameter(evaluator, parameter, entered, key, depth + 1):
                found.append(replace(a, path_condition=a.path_condition | {condition}))
        return found or [ConditionalValue(UNKNOWN)]
    assert frame.passed is not None
    if spec.kind == "starstar":
        return _rest(evaluator, frame, key, depth)
    shift = 1 if frame.receiver is not None else 0
    position = None if spec.kind == "keyword" else index - shift
    expression = argument_expression(frame.passed, position, spec.name)
    if expression is not None:
        return item(evaluator, expression[0].value, expression[1], key, depth + 1)
    return (
        [ConditionalValue(UNKNOWN)]
        if spec.default is None
        else item(
            evaluator, spec.default, evaluator.solver.root(scope.parent or scope), key, depth + 1
        )
    )


def _rest(evaluator: Evaluator, frame: CallContext, key: str, depth: int) -> ConditionalValues:
    assert frame.passed is not None
    if key in {spec.name for spec in frame.scope.parameters}:
        return [ConditionalValue(ABSENT)]
    named = [pair for pair in frame.passed.arguments if pair[0].keyword or pair[0].star == "**"]
    return _keywords(evaluator, CallArguments(tuple(named)), key, depth)


def argument_expression(
    passed: CallArguments, position: int | None, name: str
) -> tuple[ex.Argument, CallContext] | None:
    """What a call gives to a parameter, with the frame it stands in; None for no single one."""
    given = passed.keyword(name)
    if given is not None or position is None:
        return given
    positional = passed.positional()
    return positional[position] if positional and position < len(positional) else None


def _flowing(
    evaluator: Evaluator, mapping: ex.Expression, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    """Dicts that come from elsewhere: attributes, results of functions, names of other scopes."""
    values = evaluator.solver.values(mapping, frame)
    if evaluator.solver[ConfigFiles].is_one_of(values):
        return [ConditionalValue(UNKNOWN)]
    found: ConditionalValues = []
    for value in values:
        for a in evaluator.held(value, key, depth):
            path_condition = a.path_condition
            if len(values) > 1:
                path_condition = path_condition | {Condition(("one of", mapping, frame), value)}
            found.append(replace(a, path_condition=path_condition))
    found = merged(found) if values else [ConditionalValue(UNKNOWN)]
    return _mutated(evaluator, mapping, frame, key, found, depth)


def _of_rest(evaluator: Evaluator, value: VarArgs, key: str, depth: int) -> ConditionalValues:
    if value.frame.passed is None:
        return [ConditionalValue(UNKNOWN)]
    return _rest(evaluator, value.frame, key, depth + 1)


def _of_container(
    evaluator: Evaluator, value: Container, key: str, depth: int
) -> ConditionalValues:
    """A dict that another function made, after what that function wrote to it."""
    origin = value.origin
    if isinstance(origin, ex.Mapping):
        found = _literal(evaluator, origin, value.frame, key, depth + 1)
    elif isinstance(origin, ex.Call):
        passed = CallArguments.of(origin.arguments, value.frame)
        found = _keywords(evaluator, passed, key, depth + 1)
    else:
        return [ConditionalValue(UNKNOWN)]
    for definition in value.frame.scope.definitions:
        if definition.value is origin:
            for write in writes(evaluator.solver, value.frame, definition.name, key):
                if write.statement.span > definition.span:
                    found = _written(evaluator, write, value.frame, key, found, depth)
    return found


# -- what is written to a dict after it was made


def _mutated(
    evaluator: Evaluator,
    name: ex.Expression,
    frame: CallContext,
    key: str,
    found: ConditionalValues,
    depth: int,
) -> ConditionalValues:
    """`found` after the writes to the variable that stand between its definition and this use."""
    if not isinstance(name, ex.Reference):
        return found
    home = frame
    while name.definition is None and home.closure is not None:
        if any(True for _ in evaluator.solver.bindings(home.scope, name.name)):
            break
        home = home.closure
    first = name.definition.span[0] if name.definition is not None else 0
    last = name.span[0] if name.definition is not None else home.scope.span[1]
    for write in writes(evaluator.solver, home, name.name, key):
        if not first <= write.statement.span[0] < last and not _is_meeting(name):
            continue
        if write.end > last:
            continue
        found = _written(evaluator, write, home, key, found, depth)
    return found


def _is_meeting(name: ex.Reference) -> bool:
    definition = name.definition
    return definition is not None and isinstance(definition.value, ex.Conditional | ex.Join)


def _written(
    evaluator: Evaluator,
    write: Write,
    frame: CallContext,
    key: str,
    found: ConditionalValues,
    depth: int,
) -> ConditionalValues:
    tests = [test for test, _ in walk.tests(write.statement)]
    value = write.value
    if write.is_possible:
        return [*found, ConditionalValue(UNKNOWN)]
    if value is None:
        new: ConditionalValues = [ConditionalValue(ABSENT)]
    elif (
        isinstance(value, ex.Call) and value.name == "update" and value.statement is write.statement
    ):
        passed = CallArguments.of(value.arguments, frame)
        new = overlaid(_keywords(evaluator, passed, key, depth + 1), found)
    else:
        new = evaluator.of(value, frame, depth + 1)
    if write.weak:
        new = overlaid(found, new)
    ways = [evaluator.outcomes(test, frame, depth + 1) for test in tests]
    if not ways:
        return new
    taken = [
        replace(a, path_condition=a.path_condition | path_condition)
        for path_condition in _all_of(ways, [truth for _, truth in walk.tests(write.statement)])
        for a in new
        if conditions.compatible(a.path_condition, path_condition)
    ]
    kept = [
        replace(a, path_condition=a.path_condition | path_condition)
        for outcomes, (_, truth) in zip(ways, walk.tests(write.statement), strict=True)
        for outcome, path_condition in outcomes
        for a in found
        if outcome is not truth and conditions.compatible(a.path_condition, path_condition)
    ]
    return merged([*taken, *kept])


def _all_of(ways: list[Outcomes], truths: list[bool]) -> list[Conditions]:
    """The ways in which every test comes out as wanted."""
    found: list[Conditions] = [ALWAYS]
    for outcomes, truth in zip(ways, truths, strict=True):
        wanted = [path_condition for outcome, path_condition in outcomes if outcome is truth]
        found = [a | b for a in found for b in wanted if conditions.compatible(a, b)]
    return found


HELD: dict[type, Holding] = {Container: _of_container, VarArgs: _of_rest}
"""What dicts hold under a key."""
