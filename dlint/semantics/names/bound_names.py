"""Other names of what a module speaks of: `m` of `from data import make as m` and of `m = make`.

Question: by which names may a module speak of something with a given last name. Followed: imports,
assignments to names and attributes, defaults of parameters, both sides of a conditional and
`functools.partial`, in every scope and one behind another. A name counts for the whole module,
whichever scope binds it: whoever asks resolves what he finds. Given up on: containers, `setattr`
and what calls return. Linear in the bindings of the module, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from dlint.ir import expressions as ex
from dlint.ir.module import ModuleIndex

Bound = Mapping[str, Iterable[str]]
"""Names by the last name of what they are bound to."""


def bound_names(module: ModuleIndex) -> Bound:
    """Every name, attribute and parameter of a module that is bound to what has another name."""
    bindings = tuple(_bindings(module))
    partials = _imported_as(bindings, "partial")
    found: dict[str, set[str]] = defaultdict(set)
    for name, value in bindings:
        for own in _named(value, partials):
            if own != name:
                found[own].add(name)
    return found


def closed(names: Iterable[str], bound: Bound) -> frozenset[str]:
    """Names, and all that are bound to them, to names bound to them …"""
    found: set[str] = set()
    frontier = set(names)
    while frontier:
        found |= frontier
        frontier = {other for name in frontier for other in bound.get(name, ())} - found
    return frozenset(found)


def _bindings(module: ModuleIndex) -> Iterator[tuple[str, ex.Expression]]:
    for scope in module.scopes:
        for definition in scope.definitions:
            yield definition.name, definition.value
        for spec in scope.parameters:
            if spec.default is not None:
                yield spec.name, spec.default
        for store in scope.stores:
            if isinstance(store.target, ex.Attribute):
                yield store.target.name, store.value


def _imported_as(bindings: Iterable[tuple[str, ex.Expression]], own: str) -> frozenset[str]:
    """The names under which a module imports something, its own name among them."""
    found = (n for n, value in bindings if isinstance(value, ex.Imported) and value.name == own)
    return frozenset({own, *found})


def _named(value: ex.Expression, partials: frozenset[str]) -> Iterator[str]:
    """The last names of what a value may be, as it is written: `spawn` of `mp.spawn`."""
    match value:
        case ex.Imported() if value.name is not None:
            yield value.name
        case ex.Reference() | ex.Attribute():
            yield value.name
        case ex.Conditional():
            yield from (*_named(value.then, partials), *_named(value.otherwise, partials))
        case ex.Boolean():
            yield from (*_named(value.left, partials), *_named(value.right, partials))
        case ex.Join():
            yield from (name for part in value.alternatives for name in _named(part, partials))
        case ex.Call() if value.name in partials:
            plain = (a.value for a in value.arguments if a.keyword is None and not a.star)
            bound = next(plain, None)
            yield from () if bound is None else _named(bound, partials)
