"""Mappings that a class writes to its objects, an attribute for each key.

Question: of which mappings does a method write every item to an attribute of its own object?
Followed: `for k, v in d.items(): setattr(self, k, v)`, `for k in d: setattr(self, k, d[k])`,
`self.__dict__.update(d)`, `vars(self).update(**d)`. Tests around them are not looked at: what they
leave out is left open. Given up on (nothing): keys and values that are changed on the way, writes
to other objects than `self`. Linear in the calls of the class's methods, each class asked once.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.semantics.calls.attributes import class_of_self
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.solver import Solver

_SETTING = frozenset({"setattr", "__setattr__"})


class KeyedWrites:
    """The mappings whose items become attributes, for each class that was asked for."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._known: dict[Class, tuple[tuple[ex.Expression, CallContext], ...]] = {}

    def of(self, cls: Class) -> tuple[tuple[ex.Expression, CallContext], ...]:
        """The mappings that a class's own methods take attributes from."""
        if cls not in self._known:
            self._known[cls] = tuple(self._found(cls))
        return self._known[cls]

    def _found(self, cls: Class) -> Iterator[tuple[ex.Expression, CallContext]]:
        for method in cls.methods.values():
            for call in method.calls:
                mapping = _mapping(call)
                if mapping is not None:
                    yield mapping, self._solver.root(method)


def _mapping(call: ex.Call) -> ex.Expression | None:
    """The mapping of which a call writes one item, or all, to its own object."""
    if call.name in _SETTING:
        return _item_by_item(call)
    owner = call.function.value if isinstance(call.function, ex.Attribute) else None
    if call.name != "update" or owner is None or not _is_own_dict(owner, call.scope):
        return None
    (given, *others) = call.arguments or (None,)
    whole = given is not None and (given.star == "**" or not (given.star or given.keyword))
    return given.value if given is not None and whole and not others else None


def _is_own_dict(owner: ex.Expression, scope: Scope) -> bool:
    """`self.__dict__` and `vars(self)`."""
    if isinstance(owner, ex.Attribute) and owner.name == "__dict__":
        return class_of_self(owner.value, scope) is not None
    if not isinstance(owner, ex.Call) or owner.name != "vars" or len(owner.arguments) != 1:
        return False
    return class_of_self(owner.arguments[0].value, scope) is not None


def _item_by_item(call: ex.Call) -> ex.Expression | None:
    given = [a.value for a in call.arguments if not (a.star or a.keyword)]
    if isinstance(call.function, ex.Attribute):
        given = [call.function.value, *given]
    if len(given) != 3 or class_of_self(given[0], call.scope) is None:
        return None
    key, value = ex.unnamed(given[1]), ex.unnamed(given[2])
    match key, value:
        case (
            ex.Item(value=ex.Element() as one, position=0),
            ex.Item(value=ex.Element() as other, position=1),
        ):
            same = one.source is other.source
            return ex.mapping_of(one.source, "items") if same else None
        case ex.Element(), ex.Subscript() if ex.unnamed(value.index) is key:
            mapping = ex.mapping_of(key.source, "keys") or key.source
            return value.value if ex.unnamed(value.value) is ex.unnamed(mapping) else None
    return None
