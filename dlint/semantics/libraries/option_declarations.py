"""argparse options as modules declare them: their flags, defaults and actions, loops included.

Question: which `add_argument` and `set_defaults` calls of one module declare an option, and what do
they say of it by themselves? Read off the lowered calls alone, nothing is evaluated: a flag that is
computed counts only where a loop over a dict or a list names it. One pass over the calls of a
module, so without a budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from dlint.findings.regexes import lazily
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
    constant,
)
from dlint.ir.module import Jump, Loop, Return, With
from dlint.semantics.project import Facts
from dlint.semantics.values.values import FALSE, NONE, TRUE, UNKNOWN, Literal, Unknown

MARK = lazily(
    rb"\bfor\b[^\n]{0,200}:\n(?:[^\n]{0,200}\n){0,12}?"
    rb"[^\n]{0,200}\.add_argument\(\s*(?:f[\"']-|[\"']--?[\"'%{])"
)
"""What the text of a module looks like that declares options in a loop."""
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


class DeclaredOptions:
    """The options that one module declares: a query of its facts."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def by_name(self) -> dict[str, list[Call]]:
        """The options that are spelled out, by the attribute they are read as."""
        found: dict[str, list[Call]] = defaultdict(list)
        for call in self._facts.calls.get("add_argument", ()):
            name = option_name(call)
            if name is not None:
                found[name].append(call)
        return found

    @cached_property
    def in_loops(self) -> list[LoopedOption]:
        """Options that are declared in loops."""
        return list(looped(self._facts.calls.get("add_argument", ())))

    def preset(self, name: str) -> list[tuple[Call, Argument]]:
        """What `parser.set_defaults(name=…)` gives to an option."""
        calls = self._facts.calls.get("set_defaults", ())
        return [(c, a) for c in calls for a in c.arguments if a.keyword == name]


def looped(calls: Iterable[Call]) -> Iterator[LoopedOption]:
    """The calls of `add_argument` of which the flag is computed."""
    for call in calls:
        flags = [a for a in call.arguments if a.keyword is None]
        flag = next((a for a in flags if constant(a.value) is None), None)
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
            value=Element(source=Call(function=Attribute(name="items") as items)), position=0
        ):
            return items.value
        case Element(source=Call(function=Attribute(name="keys") as keys)):
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


def flag_of(option: Call) -> str | None:
    """How `add_argument` spells an option: its first long flag, or the first one."""
    given = [constant(a.value) for a in option.arguments if a.keyword is None]
    flags = [c.value for c in given if c is not None and isinstance(c.value, str)]
    return next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else None)


def default_of(option: Call) -> Argument | None:
    """The `default=` of an `add_argument` call."""
    return next((a for a in option.arguments if a.keyword == "default"), None)


def implied(option: Call) -> Literal | Unknown:
    """What an option without a `default=` holds when it is not given; some have to be."""
    if _is_required(option):
        return UNKNOWN
    return {"store_true": FALSE, "store_false": TRUE}.get(action(option), NONE)


def _is_required(option: Call) -> bool:
    """Whether a parser takes no command line without an option, as `required=True` says."""
    given = (constant(a.value) for a in option.arguments if a.keyword == "required")
    return any(known is not None and known.value is True for known in given)


def action(option: Call) -> str:
    """The `action=` of an `add_argument` call, `store` when absent or computed."""
    for argument in option.arguments:
        known = constant(argument.value)
        if argument.keyword == "action" and known is not None:
            return str(known.value)
    return "store"


def option_name(option: Call) -> str | None:
    """The attribute under which an option's value is found."""
    for argument in option.arguments:
        known = constant(argument.value)
        if argument.keyword == "dest" and known is not None and isinstance(known.value, str):
            return known.value
    flag = flag_of(option)
    return None if flag is None else flag.lstrip("-").replace("-", "_")
