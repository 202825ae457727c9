"""Results that are kept: calls that an earlier one may spare.

Question: may a call be left out, as a function looks first whether its result is there? Followed:
tests on the way to it, behind which the function may have returned too, that look an item up of
what the function itself writes items of (`if index not in self.kept`), in a field of an object or a
name of another scope; by a name of what was looked up, too. Evidence by names: tests and decorators
that speak of a cache. Given up on: results that another function keeps, without such a word.
Budget: the tests of one call.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.analyses.callees import own_attribute
from dlint.analyses.control.path_tests import tests_of_call
from dlint.analyses.guards import CACHING
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.semantics.calls import attributes


def keeps_results(scope: Scope) -> bool:
    """Whether what decorates a function speaks of a cache."""
    return any("cache" in name.lower() for name in attributes.decorators(scope))


def may_be_spared(call: ex.Call) -> bool:
    """Whether a call is only made where no earlier one has left its result."""
    kept = {ex.dotted(holder) for holder in _written_to(call.scope)}
    for test, _ in tests_of_call(call):
        for part in walk.walk(test):
            if isinstance(part, ex.Reference | ex.Attribute) and CACHING.search(part.name):
                return True
            if not kept.isdisjoint(map(ex.dotted, _looked_up(part))):
                return True
    return False


def _written_to(scope: Scope) -> Iterator[ex.Expression]:
    """What outlives a function and is given items in it."""
    for store in scope.stores:
        held = store.target.value
        is_result = not isinstance(store.value, ex.Constant)
        if is_result and isinstance(store.target, ex.Subscript) and _outlives(held, scope):
            yield held


def _outlives(held: ex.Expression, scope: Scope) -> bool:
    if isinstance(held, ex.Attribute):
        root = held.value
        return own_attribute(held, scope) is not None or _outlives(root, scope)
    return isinstance(held, ex.Reference) and walk.binding_scope(scope, held.name) is not scope


def _looked_up(part: ex.Expression) -> Iterator[ex.Expression]:
    """Of what an expression looks up an item, or asks whether it is there."""
    if isinstance(part, ex.Comparison) and part.operator in ("in", "not in"):
        yield part.right
    elif isinstance(part, ex.Subscript):
        yield part.value
    elif isinstance(part, ex.Call) and part.name == "get":
        yield from (p.value for p in (part.function,) if isinstance(p, ex.Attribute))
    elif isinstance(part, ex.Reference) and part.definition is not None:
        value = part.definition.value
        if not isinstance(value, ex.Reference):
            yield from _looked_up(value)
