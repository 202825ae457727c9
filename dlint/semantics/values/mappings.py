"""What dicts hold under a key, each value with the conditions under which it does; and arguments.

Question: what does `d[key]`, or the parameter `key` of a call, hold, and when? Followed: the layers
of dicts, `**kwargs`, parameters over the calls of their function, both sides of a choice, `a | b`,
and writes between the definition of a name and its use, each under the tests around it. Given up on
(Unknown): computed keys, dicts that somebody else may write to. `_DEPTH` deep, and bounded by the
evaluator's steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dlint.frontends.settings_files import Group
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import ParameterSpec, Scope
from dlint.semantics.calls.binding import BoundArgument, argument_for, bound_to
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.libraries.read_keys import of_fitting_files
from dlint.semantics.libraries.whole_parsers import lacks
from dlint.semantics.names.global_names import enclosing_frame
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import (
    ABSENT,
    Absent,
    ConditionalValue,
    ConditionalValues,
    merged,
    ordered,
)
from dlint.semantics.values.conditions import ALWAYS, Condition, Conditions
from dlint.semantics.values.contents import contents
from dlint.semantics.values.dict_layers import Layer, Spread, is_taken, layers_of, layers_of_call
from dlint.semantics.values.dict_writes import Write, writes
from dlint.semantics.values.evaluator import Evaluator, Holding
from dlint.semantics.values.rewrites import Rewrites
from dlint.semantics.values.values import NONE, UNKNOWN, Container, VarArgs

_DEPTH = 24

Outcomes = list[tuple[bool, Conditions]]


def argument(
    evaluator: Evaluator, passed: CallArguments, position: int | None, name: str, depth: int = 0
) -> ConditionalValues:
    """What a call gives to a parameter; `ABSENT` where it may give nothing."""
    return taken(evaluator, argument_for(passed, position, name), depth)


def taken(evaluator: Evaluator, bound: BoundArgument, depth: int) -> ConditionalValues:
    """What a parameter takes; `ABSENT` where it may be given nothing."""
    if bound.expression is not None:
        return evaluator.of(*bound.expression, depth)
    found: ConditionalValues = [ConditionalValue(ABSENT)]
    for one in bound.unpacked:
        if isinstance(one.key, int):
            return _starred(evaluator, one.source, one.context, one.key)
        found = overlaid(item(evaluator, one.source, one.context, one.key, depth), found)
    return found


def _starred(
    evaluator: Evaluator, given: ex.Expression, frame: CallContext, position: int
) -> ConditionalValues:
    """An argument inside `*x`: known where x is a list of known length."""
    values = evaluator.solver.values(given, frame)
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
    if depth > _DEPTH:
        return [ConditionalValue(UNKNOWN)]
    match mapping:
        case ex.Reference() if mapping.definition is not None:
            found = _defined(evaluator, mapping.definition, frame, key, depth)
            found = of_fitting_files(evaluator.solver, found, mapping, frame)
            return _mutated(evaluator, mapping, frame, key, found, depth)
        case ex.Mapping():
            return _made(evaluator, Container(mapping, frame), key, depth)
        case ex.Conditional():
            return [
                a.under(path_condition)
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
            return _made(evaluator, Container(mapping, frame), key, depth)
    return _flowing(evaluator, mapping, frame, key, depth)


def _defined(
    evaluator: Evaluator, definition: ex.Definition, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    value = definition.value
    if isinstance(value, ex.Conditional):
        # both sides are definitions of the same name: what is written to it is added once, outside
        return [
            a.under(path_condition)
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


def _made(evaluator: Evaluator, value: Container, key: str, depth: int) -> ConditionalValues:
    """A dict as it is made, unless somebody writes to it by another name than its own."""
    if isinstance(value.origin, Group):
        return evaluator.solver[ConfigFiles].item(evaluator, value.origin, key, depth)
    layers = layers_of(value)
    if layers is None or evaluator.solver[Rewrites].concern(value, key):
        return [ConditionalValue(UNKNOWN)]
    return _layered(evaluator, layers, key, depth)


def _layered(
    evaluator: Evaluator,
    layers: Iterable[Layer],
    key: str,
    depth: int,
) -> ConditionalValues:
    """What the layers of a dict hold under a key; later ones win."""
    found: ConditionalValues = [ConditionalValue(ABSENT)]
    for layer in layers:
        if isinstance(layer, Spread):
            if lacks(evaluator.solver, layer.source, layer.context, key):
                continue
            found = overlaid(item(evaluator, layer.source, layer.context, key, depth + 1), found)
        elif layer.is_computed:
            found = [*found, ConditionalValue(UNKNOWN)]
        elif layer.key == key:
            found = evaluator.of(layer.value, layer.context, depth)
    return found


def _parameter(
    evaluator: Evaluator, parameter: ex.Parameter, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    scope = frame.scope
    spec = next((s for s in scope.parameters if s.name == parameter.name), None)
    if spec is None:
        return [ConditionalValue(UNKNOWN)]
    if spec is scope.parameters[0] and scope.decorators:
        settings = evaluator.solver[ConfigFiles].of_main(scope)
        if settings is not None:
            return evaluator.held(settings, key, depth)
    bound = bound_to(frame)
    if bound is None:
        return _over_calls(evaluator, parameter, frame, key, depth)
    if spec.kind == "starstar":
        return evaluator.held(VarArgs(frame, spec.name), key, depth)
    given = bound[spec.name]
    if given.expression is not None:
        return item(evaluator, *given.expression, key, depth + 1)
    found: ConditionalValues = []
    for one in taken(evaluator, given, depth):
        if isinstance(one.value, Absent):
            held = _of_default(evaluator, scope, spec, key, depth)
        else:
            held = evaluator.held(one.value, key, depth + 1)
        found += [
            replace(a.under(one.path_condition), assumed=a.assumed or one.assumed) for a in held
        ]
    return merged(found)


def _of_default(
    evaluator: Evaluator, scope: Scope, spec: ParameterSpec, key: str, depth: int
) -> ConditionalValues:
    if spec.default is None:
        return [ConditionalValue(UNKNOWN)]
    home = evaluator.solver.root(scope.parent or scope)
    return item(evaluator, spec.default, home, key, depth + 1)


def _over_calls(
    evaluator: Evaluator, parameter: ex.Parameter, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    """What every call of a function gives it."""
    found: ConditionalValues = []
    for entered in evaluator.callers(frame.scope):
        condition = Condition(("call", frame.scope), entered.call)
        for a in _parameter(evaluator, parameter, entered, key, depth + 1):
            found.append(a.under({condition}))
    return found or [ConditionalValue(UNKNOWN)]


def _flowing(
    evaluator: Evaluator, mapping: ex.Expression, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    """Dicts that come from elsewhere: attributes, results of functions, names of other scopes."""
    flowing = ordered(evaluator.solver.values(mapping, frame))
    dicts = [value for value in flowing if value != NONE]  # None has no items to be asked for
    values = evaluator.solver[ConfigFiles].settled(dicts or flowing)
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
    """`**kwargs`: what the call gives to no parameter of its own."""
    layers = [] if is_taken(value, key) else layers_of(value)
    if layers is None:
        return [ConditionalValue(UNKNOWN)]
    return _layered(evaluator, layers, key, depth + 1)


def _of_container(
    evaluator: Evaluator, value: Container, key: str, depth: int
) -> ConditionalValues:
    """A dict that another function made, after what that function wrote to it."""
    found = _made(evaluator, value, key, depth + 1)
    if evaluator.solver[Rewrites].concern(value, key):
        return found
    for definition in value.frame.scope.definitions:
        if definition.value is value.origin:
            for write in writes(evaluator.solver, value.frame, definition.name, key):
                if write.statement.span > definition.span:
                    found = _written(evaluator, write, value.frame, key, found, depth)
    return found if any(a.value != ABSENT for a in found) else _added(evaluator, value, key, found)


def _added(
    evaluator: Evaluator, value: Container, key: str, found: ConditionalValues
) -> ConditionalValues:
    """A key that a dict was made without; Unknown where anybody may have written it since: to the
    attribute that holds it (`self.options[key] = …`), or where it was handed to."""
    node = contents(evaluator.solver, value, key, optional=True)
    evaluator.solver.settle()
    return [*found, ConditionalValue(UNKNOWN)] if node.values else found


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
    solver, is_free = evaluator.solver, name.definition is None
    home = enclosing_frame(solver, name.name, frame) if is_free else frame
    first = name.definition.span[0] if name.definition is not None else 0
    last = name.span[0] if name.definition is not None else home.scope.span[1]
    for write in writes(solver, home, name.name, key):
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
        return [*(() if write.is_hidden else found), ConditionalValue(UNKNOWN)]
    if value is None:
        new: ConditionalValues = [ConditionalValue(ABSENT)]
    elif (
        isinstance(value, ex.Call) and value.name == "update" and value.statement is write.statement
    ):
        layers = layers_of_call(CallArguments.of(value.arguments, frame))
        new = overlaid(_layered(evaluator, layers, key, depth + 1), found)
    else:
        new = evaluator.of(value, frame, depth + 1)
    if write.weak:
        new = overlaid(found, new)
    ways = [evaluator.outcomes(test, frame, depth + 1) for test in tests]
    if not ways:
        return new
    taken = [
        a.under(path_condition)
        for path_condition in _all_of(ways, [truth for _, truth in walk.tests(write.statement)])
        for a in new
        if conditions.compatible(a.path_condition, path_condition)
    ]
    kept = [
        a.under(path_condition)
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
