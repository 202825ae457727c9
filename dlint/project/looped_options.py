"""argparse options that a loop declares, one for each key of a dict or each name of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dlint.index.expressions import (
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
from dlint.project.alternative import ABSENT

if TYPE_CHECKING:
    from dlint.project.alternative import Found
    from dlint.project.alternatives import Alternatives

MARK = re.compile(
    rb"\bfor\b[^\n]*:\n(?:[^\n]*\n){0,12}?[^\n]*\.add_argument\(\s*(?:f[\"']-|[\"']--?[\"'%{])"
)
"""What the text of a module looks like that declares options in a loop."""
_DASHES = frozenset({"-", "--"})
_TEMPLATES = frozenset({"--%s", "-%s", "--{}", "-{}"})


class LoopedOption(NamedTuple):
    """An `add_argument` in a loop, and what the loop goes over."""

    call: Call
    names: Expression
    """The dict of which each key is an option, or the list of their names."""
    default: Argument | None
    is_item: bool
    """Whether the default is what the dict holds under the key."""


def looped(calls: Iterable[Call]) -> Iterator[LoopedOption]:
    """The calls of `add_argument` of which the flag is a key of something that a loop goes over."""
    for call in calls:
        flag = next((a.value for a in call.arguments if a.keyword is None and not a.star), None)
        key = None if flag is None else _key(flag)
        names = None if key is None else _gone_over(key)
        if names is None or key is None or any(a.keyword == "dest" for a in call.arguments):
            continue
        default = next((a for a in call.arguments if a.keyword == "default"), None)
        is_item = default is not None and _is_item_of(default.value, key)
        yield LoopedOption(call, names, default, is_item)


def defaults(ask: Alternatives, option: LoopedOption, name: str, depth: int) -> Found:
    """What an option of this name holds by default; [] where the loop does not make it."""
    frame = ask.flow.root(option.call.scope)
    names = option.names
    for key in dict.fromkeys((name, name.replace("_", "-"))):
        if isinstance(names, Sequence):
            is_there = any(isinstance(i, Constant) and i.value == key for i in names.items)
            held = ask.of(option.default.value, frame, depth) if option.default else []
            found = held if is_there else []
        elif option.is_item:
            found = _held(ask, option, key, depth)
        else:
            found = []
        if found:
            label = f"default of option `--{key}`"
            return [replace(a, assumed=label) for a in found]
    return []


def _held(ask: Alternatives, option: LoopedOption, key: str, depth: int) -> Found:
    from dlint.project import mappings  # mappings build on argparse

    frame = ask.flow.root(option.call.scope)
    found = mappings.item(ask, option.names, frame, key, depth + 1)
    return [] if all(a.value == ABSENT for a in found) else [a for a in found if a.value != ABSENT]


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
        case Element(iterable=Reference() | Mapping() | Attribute() | Subscript() as names):
            inner = names.definition if isinstance(names, Reference) else None
            is_list = inner is not None and isinstance(inner.value, Sequence)
            return inner.value if inner is not None and is_list else names
        case Element(iterable=Sequence() as names):
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
