"""What somebody writes anew to a dict, or takes out, through what holds it.

Question: may what a dict was made with under a key be another value by now, or be gone, as a key of
`cfg["loader"]` or of `self.options` is set, deleted or popped, or all items of another dict are put
there? Followed: all modules that are loaded, and other names for what holds a dict. Given up on:
writes to a dict by a name of its own, which `mappings` follows in their order, and keys that are
computed. Linear in the writes under one key, once for each key and module.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import ModuleIndex, Scope
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.project import Facts
from dlint.semantics.values.dict_layers import Spread, layers_of
from dlint.semantics.values.dict_writes import deletions
from dlint.semantics.values.mutations import mutation_of_call, mutation_of_store
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import Container

_TAKING = ("pop", "update")
_NAMING = (ex.Reference, ex.Attribute, ex.Subscript, ex.Imported)
"""What names something that is there already."""
_Target = tuple[ex.Expression, Scope]


class Rewrites:
    """The dicts whose items somebody writes anew, by their keys."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._origins: defaultdict[str, set[object]] = defaultdict(set)
        self._looked_at: defaultdict[str, int] = defaultdict(int)
        """Of how many modules, in the order of their loading, the writes under a key are known."""

    def concern(self, value: Container, key: str) -> bool:
        """Whether an item that a dict was made with may be another one since, or gone."""
        loaded = self._solver.project.loaded
        while self._looked_at[key] < len(loaded):
            facts = loaded[self._looked_at[key]]
            self._looked_at[key] += 1
            self._origins[key].update(self._rewritten(facts, key))
        return value.origin in self._origins[key]

    def _rewritten(self, facts: Facts, key: str) -> Iterator[object]:
        """Where the dicts are made to whose `key` the code of a module writes."""
        for target, scope in _targets(facts, key):
            if _is_own_name(target):
                continue
            for value in self._solver.values(target, self._solver.root(scope)):
                if isinstance(value, Container) and not _is_free_at_home(target, scope, value):
                    yield value.origin


def _is_own_name(target: ex.Expression) -> bool:
    """Whether a name is bound to what makes the dict, or to what a call hands in or gives.

    So too of a dict that is written where it is changed: nobody else has it.
    """
    if isinstance(target, ex.Mapping):
        return True
    definition = target.definition if isinstance(target, ex.Reference) else None
    return definition is not None and not isinstance(definition.value, _NAMING)


def _is_free_at_home(target: ex.Expression, scope: Scope, made: Container) -> bool:
    """Whether it is a name of a scope around, in the module that makes the dict."""
    is_free = isinstance(target, ex.Reference) and target.definition is None
    return is_free and made.frame.scope.module is scope.module


def _targets(facts: Facts, key: str) -> Iterator[_Target]:
    """The dicts that a module writes `key` to, or takes it out of."""
    for store in facts.stores_at(key):
        stored = mutation_of_store(store)
        if stored is not None and stored.has_known_key:
            yield stored.target, store.scope
    yield from facts.table(deleted_items)[key]
    for call in (call for name in _TAKING for call in facts.calls.get(name, ())):
        mutation = mutation_of_call(call)
        if mutation is None:
            continue
        is_merged = mutation.kind == "merge" and _may_give(call, key)
        if is_merged or (mutation.kind == "remove" and mutation.known_key == key):
            yield mutation.target, call.scope


def _may_give(call: ex.Call, key: str) -> bool:
    """Whether `d.update(…)` puts something under a key, or all of a dict, if no test or loop
    decides over that, as one does over a file that may be given.
    """
    decided = [*walk.tests(call.statement), *walk.enclosing_loops(call.statement)]
    for layer in layers_of(Container(call, CallContext(call.scope))) or ():
        if not decided if isinstance(layer, Spread) else layer.may_be(key):
            return True
    return False


def deleted_items(module: ModuleIndex) -> dict[str, list[_Target]]:
    """The dicts out of which `del d[key]` takes an item somewhere in a module, by the keys."""
    found: defaultdict[str, list[_Target]] = defaultdict(list)
    for scope in module.scopes:
        for _, taken in deletions(scope):
            known = ex.constant(taken.index)
            if known is not None and isinstance(known.value, str):
                found[known.value].append((taken.value, scope))
    return dict(found)
