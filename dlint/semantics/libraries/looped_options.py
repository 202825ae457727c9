"""argparse options that a loop declares, one for each key of a dict or each name of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import walk
from dlint.ir.expressions import (
    Argument,
    Attribute,
    Binary,
    Call,
    Constant,
    Element,
    Expression,
    Format,
    Item,
    Mapping,
    Reference,
    Sequence,
    Subscript,
)
from dlint.ir.module import Jump, Loop, Return, With
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.values import UNKNOWN

if TYPE_CHECKING:
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.evaluator import Evaluator

MARK = re.compile(
    rb"\bfor\b[^\n]{0,200}:\n(?:[^\n]{0,200}\n){0,12}?"
    rb"[^\n]{0,200}\.add_argument\(\s*(?:f[\"']-|[\"']--?[\"'%{])"
)
"""What the text of a module looks like that declares options in a loop."""
_STEPS = 6
"""How many names may stand for one another."""
_DASHES = frozenset({"-", "--"})
_TEMPLATES = frozenset({"--%s", "-%s", "--{}", "-{}"})


class LoopedOption(NamedTuple):
    """An `add_argument` with a flag that is computed, and the loop that names it, if one does."""

    call: Call
    names: Expression | None
    """The dict of which each key is an option, or the list of their names."""
    default: Argument | None
    is_item: bool
    """Whether the default is what the dict holds under the key."""


def looped(calls: Iterable[Call]) -> Iterator[LoopedOption]:
    """The calls of `add_argument` of which the flag is computed."""
    for call in calls:
        flags = [a for a in call.arguments if a.keyword is None]
        flag = next((a for a in flags if not isinstance(a.value, Constant)), None)
        keywords = {a.keyword: a for a in call.arguments if a.keyword}
        if flag is None or "dest" in keywords:
            continue
        key = None if flag.star else _key(flag.value)
        names = None if key is None or not _is_always_run(call) else _gone_over(key)
        default = keywords.get("default")
        is_item = default is not None and key is not None and _is_item_of(default.value, key)
        yield LoopedOption(call, names, default, is_item)


def _is_always_run(call: Call) -> bool:
    """Whether every round of the one loop around a call runs it."""
    around = [s for s in walk.ancestors(call.statement) if not isinstance(s, With)]
    if len(around) != 1 or not isinstance(around[0], Loop):
        return False
    return not any(isinstance(s, Jump | Return) for s in walk.statements(around[0].body))


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
    from dlint.semantics.libraries import option_tables  # its tables build on argparse

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
    from dlint.semantics.libraries import option_tables  # these build on argparse
    from dlint.semantics.values import mappings

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


def _key(flag: Expression) -> Reference | None:
    """The variable behind the dashes of a flag."""
    match flag:
        case Format(parts=(Constant(value=str(dashes)), Reference() as key)):
            return key if dashes in _DASHES else None
        case Binary(operator="+", left=Constant(value=str(dashes)), right=Reference() as key):
            return key if dashes in _DASHES else None
        case Binary(operator="%", left=Constant(value=str(text)), right=Reference() as key):
            return key if text in _TEMPLATES else None
        case Call(
            function=Attribute(value=Constant(value=str(text)), name="format"),
            arguments=(Argument(value=Reference() as key),),
        ):
            return key if text in _TEMPLATES else None
    return None


def _gone_over(key: Reference) -> Expression | None:
    """What gives a variable its values, where it is the key of a dict or the item of a list."""
    value = None if key.definition is None else key.definition.value
    match value:
        case Item(
            value=Element(iterable=Call(function=Attribute(name="items") as items)), position=0
        ):
            return items.value
        case Element(iterable=Call(function=Attribute(name="keys") as keys)):
            return keys.value
        case Element(
            iterable=Reference() | Mapping() | Sequence() | Attribute() | Subscript() as names
        ):
            return names
    return None


def _is_item_of(default: Expression, key: Reference) -> bool:
    """Whether a default is what belongs to a key."""
    if isinstance(default, Subscript):
        index = default.index
        return isinstance(index, Reference) and index.definition is key.definition
    if not isinstance(default, Reference) or default.definition is None:
        return False
    value, own = default.definition.value, key.definition
    if not isinstance(value, Item) or own is None or not isinstance(own.value, Item):
        return False
    return value.value is own.value.value and value.position == 1
