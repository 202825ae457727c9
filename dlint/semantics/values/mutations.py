"""What a statement writes to a container, whoever holds it.

Question: does a call of a method, or a store to a subscript or an attribute, put something into a
list, set or dict, or take it out; under which key? Told by the method's name, so that the receiver
has to be known to be a container. One look at one call, so without a budget.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from dlint.ir import expressions as ex
from dlint.ir.module import Store

Kind = Literal["set", "default", "add", "merge", "extend", "remove"]
_KINDS: dict[str, Kind] = {
    "append": "add",
    "add": "add",
    "insert": "add",
    "extend": "extend",
    "update": "merge",
    "setdefault": "default",
    "pop": "remove",
}
ADDING = tuple(name for name, kind in _KINDS.items() if kind in ("add", "default"))
"""Methods that put one value into a container."""
MERGING = tuple(name for name, kind in _KINDS.items() if kind in ("merge", "extend"))
"""Methods that put all items of other containers into one."""


class Mutation(NamedTuple):
    """One write. `key` is None where none is written; `value` where nothing is put in, or all that
    the call is given."""

    kind: Kind
    target: ex.Expression
    key: ex.Expression | None = None
    value: ex.Expression | None = None

    @property
    def known_key(self) -> object:
        """The key as a constant; None where it is computed, or none is written."""
        known = ex.constant(self.key)
        return None if known is None else known.value

    @property
    def has_known_key(self) -> bool:
        """Whether the key is written out, here or where it is named."""
        return ex.constant(self.key) is not None

    def may_concern(self, key: object) -> bool:
        """Whether it may write under `key`."""
        return not self.has_known_key or self.known_key == key


def mutation_of_call(call: ex.Call) -> Mutation | None:
    """What a call writes to the object whose method it calls."""
    callee = call.function
    kind = _KINDS.get(callee.name) if isinstance(callee, ex.Attribute) else None
    if kind is None or not isinstance(callee, ex.Attribute):
        return None
    given = [argument.value for argument in call.arguments]
    if kind == "add":
        return Mutation(kind, callee.value, None, given[-1]) if given else None
    if kind in ("merge", "extend"):
        return Mutation(kind, callee.value)
    if not given:
        return None
    value = given[1] if kind == "default" and len(given) > 1 else None
    return Mutation(kind, callee.value, given[0], value)


def mutation_of_store(store: Store) -> Mutation | None:
    """What `target[key] = value` writes."""
    target = store.target
    if not isinstance(target, ex.Subscript):
        return None
    return Mutation("set", target.value, target.index, store.value)


def mutation_by_name(store: Store) -> Mutation | None:
    """The same, or what `target.key = value` writes where items are attributes too."""
    target = store.target
    if not isinstance(target, ex.Attribute):
        return mutation_of_store(store)
    return Mutation("set", target.value, ex.Constant(target.span, target.name), store.value)
