"""What an option that a loop declares holds by default: one for each key of a dict or list.

Question: what does an option hold of which a loop computes the flag? Followed: the table that names
the options, where it is known whole and left alone, by the calls that pass it on. Given up on
(Unknown): flags that no loop names, tables that something may change. Bounded by the evaluator's
steps; names stand for one another `_STEPS` times.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir.expressions import Call, Constant, Expression, Reference, Sequence
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.libraries import option_tables
from dlint.semantics.libraries.option_declarations import LoopedOption
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.values import UNKNOWN

_STEPS = 6
"""How many names may stand for one another."""


def defaults(
    evaluator: Evaluator, option: LoopedOption, name: str, depth: int
) -> ConditionalValues:
    """What an option of this name holds by default; [] where the loop does not make it."""
    frame = evaluator.solver.root(option.call.scope)
    for key in dict.fromkeys((name, name.replace("_", "-"))):
        found = _given(evaluator, option, frame, key, depth)
        if found:
            label = f"default of option `--{key}`"
            return [replace(a, assumed=label) for a in found]
    return []


def _given(
    evaluator: Evaluator, option: LoopedOption, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    if option.names is None:
        return [ConditionalValue(UNKNOWN)]
    names = _listed(option.names)
    if isinstance(names, Sequence):
        if not option_tables.is_certain(evaluator, option.names, frame):
            return [ConditionalValue(UNKNOWN)]
        if not any(isinstance(i, Constant) and i.value == key for i in names.items):
            return []
        plain = option.default is not None and isinstance(option.default.value, Constant)
        if not plain or option.default is None:
            return [ConditionalValue(UNKNOWN)]
        return evaluator.of(option.default.value, frame, depth)
    found = _held(evaluator, option.names, frame, key, depth)
    return found if option.is_item else [replace(a, value=UNKNOWN) for a in found]


def _held(
    evaluator: Evaluator, names: Expression, frame: CallContext, key: str, depth: int
) -> ConditionalValues:
    """What a table holds under a key; Unknown where the table is not certain."""
    certain = option_tables.certain_calls(evaluator, names, frame)
    if certain is None and not option_tables.is_certain(evaluator, names, frame):
        return [ConditionalValue(UNKNOWN)]
    found = []
    for a in mappings.item(evaluator, names, frame, key, depth + 1):
        if certain is not None and not callers(a) & certain:
            found.append(replace(a, value=UNKNOWN))
        elif a.value != ABSENT:
            found.append(a)
    return found


def callers(alternative: ConditionalValue) -> set[Call]:
    """The calls of functions by which a value comes."""
    outcomes = (condition.outcome for condition in alternative.path_condition)
    return {call for call in outcomes if isinstance(call, Call)}


def _listed(names: Expression) -> Expression:
    """The list that a name stands for."""
    for _ in range(_STEPS):
        if not isinstance(names, Reference) or names.definition is None:
            break
        names = names.definition.value
    return names
