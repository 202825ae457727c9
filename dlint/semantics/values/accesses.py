"""Accesses by path: attributes, items and calls.

Question: what does `x.name`, `x[key]` or `f(…)` hold, and when? Followed: argparse options,
attributes of project classes by what is written to them or a property returns, settings of files
and of config trees, dataclass defaults, items of dicts (also as attributes), parts of displays that
an assignment unpacks, conversions, callables that return what they are given, and results of
project functions.
Else the solver's values count. Bounded by the evaluator's steps.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir import expressions as ex
from dlint.library_facts import passthrough
from dlint.semantics.calls import attributes, calls, externals
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, CallSite
from dlint.semantics.libraries import argparsing, config_trees, declared
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values import (
    conditions,
    constant_folding,
    containers,
    fields,
    lookups,
    mappings,
    named_items,
)
from dlint.semantics.values.conditional_value import (
    ABSENT,
    Absent,
    ConditionalValue,
    ConditionalValues,
    ordered,
)
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluation, Evaluator
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    External,
    FunctionObject,
    Hyperparameters,
    Method,
    Namespace,
    Value,
)


def attribute(
    evaluator: Evaluator, expression: ex.Attribute, frame: CallContext, depth: int
) -> ConditionalValues:
    """Options and hyperparameters by their defaults, other attributes by what is written there."""
    bases = evaluator.solver.values(expression.value, frame)
    parsed = [base for base in ordered(bases) if isinstance(base, Namespace | Hyperparameters)]
    if parsed and len(parsed) == len(bases) and expression.name != "__dict__":
        return [a for base in parsed for a in evaluator.held(base, expression.name, depth)]
    classes = {attributes.project_class(base) for base in bases}
    if len(classes) == 1 and (cls := classes.pop()) is not None:
        found = fields.written(evaluator, cls, expression.name, depth)
        if found is not None:
            return found
        getter = attributes.getter_of(evaluator.solver, bases, expression.name)
        if getter is not None and len(bases) == 1:
            return _got(evaluator, Method(getter, next(iter(bases))), expression, frame, depth)
    if evaluator.solver[ConfigFiles].reads(bases):
        return _item(evaluator, expression.value, frame, expression.name, depth)
    found = named_items.read(evaluator, expression, frame, bases, depth)
    if found is not None:
        return found
    default = config_trees.read(evaluator, expression, bases, depth)
    default = default or declared.read(evaluator, expression, frame.scope, bases, depth)
    return default or evaluator.flowing(expression, frame)


def subscript(
    evaluator: Evaluator, expression: ex.Subscript, frame: CallContext, depth: int
) -> ConditionalValues:
    """An item of a dict of known contents."""
    index = ex.constant(expression.index)
    if index is not None and isinstance(index.value, str):
        return _item(evaluator, expression.value, frame, index.value, depth)
    return evaluator.flowing(expression, frame)


def _item(
    evaluator: Evaluator, mapping: ex.Expression, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    found = mappings.item(evaluator, mapping, frame, key, depth)
    return [replace(a, value=UNKNOWN) if a.value == ABSENT else a for a in found]


def call(
    evaluator: Evaluator, expression: ex.Call, frame: CallContext, depth: int
) -> ConditionalValues:
    """Conversions, dict lookups, and the results of project functions."""
    if expression.name in ("get", "pop", "setdefault") and expression.arguments:
        found = lookups.lookup(evaluator, expression, frame, depth)
        if found is not None:
            return found
    callees = evaluator.solver.values(expression.function, frame)
    if len(callees) == 1:
        callee = next(iter(callees))
        if isinstance(callee, External) and callee.path in constant_folding.CONVERSIONS:
            return _converted(evaluator, callee.path, expression, frame, depth)
        if isinstance(callee, External) and callee.path == "builtins.getattr":
            return _by_name(evaluator, expression, frame, depth)
        if isinstance(callee, External) and passthrough.first_argument(callee.path):
            return _handed_on(evaluator, callee.path, expression, frame, depth)
        if isinstance(callee, FunctionObject | Method) and not callee.scope.yields:
            return _returned(evaluator, callee, expression, frame, depth)
    return evaluator.flowing(expression, frame)


def _by_name(
    evaluator: Evaluator, expression: ex.Call, frame: CallContext, depth: int
) -> ConditionalValues:
    """`getattr(x, "name", default)` as `x.name`, where it is known what that holds."""
    spelled = evaluator.solver[_spelled_out]
    if expression not in spelled:
        spelled[expression] = conditions.attribute_asked(expression, frame)
    access = spelled[expression]
    is_sure = access is not None and not _may_be_missing(evaluator, expression, access, frame)
    found = attribute(evaluator, access, frame, depth) if access is not None and is_sure else []
    known = found and UNKNOWN not in [a.value for a in found]
    return found if known else evaluator.flowing(expression, frame)


def _may_be_missing(
    evaluator: Evaluator, expression: ex.Call, access: ex.Attribute, frame: CallContext
) -> bool:
    """Whether `getattr` may give a default, as the attribute is only there once it is written."""
    if len(expression.arguments) < 3:
        return False
    bases = evaluator.solver.values(access.value, frame)
    return any(argparsing.may_lack(evaluator.solver, base, access.name) for base in bases)


def _spelled_out(_: Solver) -> dict[ex.Call, ex.Attribute | None]:
    """The accesses that calls of `getattr` stand for."""
    return {}


def _handed_on(
    evaluator: Evaluator, path: str, expression: ex.Call, frame: CallContext, depth: int
) -> ConditionalValues:
    """What is given first; but of an iterator that is gone through, the list that is made."""
    given = externals.handed_on(path, CallArguments.of(expression.arguments, frame))
    if not given:
        return [ConditionalValue(UNKNOWN)]
    found = evaluator.of(given[0][0].value, frame, depth)
    collects = path in passthrough.COLLECTING
    if collects and any(containers.becomes_list(evaluator.solver, v) for v in _values(found)):
        return evaluator.flowing(expression, frame)
    return found


def _values(found: ConditionalValues) -> list[Value]:
    return [a.value for a in found if not isinstance(a.value, Absent)]


def _converted(
    evaluator: Evaluator, path: str, expression: ex.Call, frame: CallContext, depth: int
) -> ConditionalValues:
    if len(expression.arguments) != 1 or expression.arguments[0].star:
        return evaluator.flowing(expression, frame)
    found = evaluator.of(expression.arguments[0].value, frame, depth)
    return [replace(a, value=constant_folding.convert(path, a.value)) for a in found]


def _returned(
    evaluator: Evaluator,
    callee: FunctionObject | Method,
    expression: ex.Call,
    frame: CallContext,
    depth: int,
) -> ConditionalValues:
    site = CallSite(expression, CallArguments.of(expression.arguments, frame), frame)
    entered = calls.enter(evaluator.solver, callee, site)
    found: ConditionalValues = []
    for index, value in enumerate(callee.scope.returns):
        alternatives = evaluator.of(value, entered, depth)
        if len(callee.scope.returns) > 1:
            condition = Condition(("return", entered), index)
            alternatives = [a.under({condition}) for a in alternatives]
        found += alternatives
    return found or [ConditionalValue(UNKNOWN)]


def _got(
    evaluator: Evaluator, getter: Method, read: ex.Attribute, frame: CallContext, depth: int
) -> ConditionalValues:
    """What a property gives, as a call of it would, so that its `self` is known."""
    spelled = evaluator.solver[_as_calls]
    if read not in spelled:
        first = frame.scope.body.statements[0]
        spelled[read] = ex.Call(read.span, read, (), frame.scope, first)
    return _returned(evaluator, getter, spelled[read], frame, depth)


def _as_calls(_: Solver) -> dict[ex.Attribute, ex.Call]:
    """The calls that reads of properties stand for."""
    return {}


def item(
    evaluator: Evaluator, expression: ex.Item, frame: CallContext, depth: int
) -> ConditionalValues:
    """`a, b = x, y`: what stands in the display at the place of the name."""
    part = ex.unpacked(expression)
    if part is expression:
        return evaluator.flowing(expression, frame)
    return evaluator.of(part, frame, depth)


EXPRESSIONS: dict[type, Evaluation] = {
    ex.Item: item,
    ex.Attribute: attribute,
    ex.Subscript: subscript,
    ex.Call: call,
}
"""How accesses are evaluated."""
