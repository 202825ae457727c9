"""Where a module speaks of what makes loaders: calls it, derives from it, hands it on.

Question: which calls, classes and scopes of a module may, by the names in them, have to do with
something of a given name. Names are those of the library, of classes of the project that derive
from it and of what is bound to them; what a function is called says nothing. Followed: what
`Facts.names_of` follows, and the class itself in arguments, containers and results. Who asks
resolves what is found. Given up on: names in strings. Linear in the module.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dlint.ir import expressions as ex
from dlint.ir.looked_at import unlooked
from dlint.ir.module import Class, ModuleIndex, Scope
from dlint.library_facts.config_files import INSTANTIATING
from dlint.library_facts.loaders import SIGNATURES
from dlint.library_facts.samplers import DISTRIBUTED
from dlint.semantics.project import Facts

LIBRARY_MAKERS = INSTANTIATING.union(
    path.rpartition(".")[2] for path in (*SIGNATURES, *DISTRIBUTED)
)
"""The last names of the library classes that a search for loaders begins with."""

_DEPTH = 3
"""So many containers deep a class is looked for: `{"train": (DataLoader, 8)}`."""


def classes_deriving(facts: Facts, names: frozenset[str]) -> Iterator[Class]:
    """Classes of a module with a base of one of these names."""
    for cls in facts.module.classes:
        if any(_is_named(base, names) for base in cls.bases):
            yield cls


def scopes_naming(facts: Facts, names: frozenset[str]) -> Iterator[Scope]:
    """Scopes that hand the class itself on: `partial(DataLoader, …)`, `cls = DataLoader`."""
    table = facts.table(handing_on)
    found = {scope for name in table.among(names) for scope in table[name]}
    with unlooked():
        order = [scope for scope in facts.module.scopes if scope in found]
    yield from order


def handing_on(module: ModuleIndex) -> dict[str, list[Scope]]:
    """The scopes of a module that hand something on, by its name."""
    table: defaultdict[str, list[Scope]] = defaultdict(list)
    for scope in module.scopes:
        spoken = (name for value in _handed_on(scope) for name in _spoken(value, _DEPTH))
        for name in dict.fromkeys(spoken):
            table[name].append(scope)
    return table


def _handed_on(scope: Scope) -> Iterator[ex.Expression]:
    """What a scope binds, writes, returns and gives to calls."""
    for definition in scope.definitions:
        yield definition.value
    for store in scope.stores:
        yield store.value
    for call in scope.calls:
        for argument in call.arguments:
            yield argument.value
    yield from scope.returns


def _spoken(value: ex.Expression, depth: int) -> Iterator[str]:
    """The names of what a value is, or holds."""
    parts: tuple[ex.Expression, ...]
    match value:
        case ex.Reference() | ex.Attribute():
            yield value.name
            return
        case ex.Conditional():
            parts = (value.then, value.otherwise)
        case ex.Boolean():
            parts = (value.left, value.right)
        case ex.Sequence():
            parts = value.items
        case ex.Subscript():
            parts = (value.value,)
        case ex.Mapping():
            parts = tuple(item for _, item in value.items)
        case _:
            return
    if depth > 0:
        for part in parts:
            yield from _spoken(part, depth - 1)


def _is_named(value: ex.Expression, names: frozenset[str]) -> bool:
    while isinstance(value, ex.Subscript):
        value = value.value
    return isinstance(value, ex.Reference | ex.Attribute) and value.name in names
