"""Parts of what is shuffled in place: `random.shuffle(indices)`, then `indices[:n]`, `indices[n:]`.

Question: which slices does a function take of a list or an array that a call shuffles once, behind
the call? Followed: a local name that nothing binds anew, an attribute by its spelling, and other
names of either. Given up on: slices that all begin at one place, which are no split; shuffles under
a test or in a loop; and lists that are zipped, filtered or handed on before they are taken apart.
"""

from __future__ import annotations

from dlint.analyses.control.path_tests import is_main_guard
from dlint.analyses.value_parts import names_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk


def parts_of_shuffled(call: ex.Call) -> tuple[ex.Subscript, ...]:
    """The slices of what a call certainly shuffles; () where that is not taken apart."""
    is_once = all(is_main_guard(test) for test, _ in walk.tests(call.statement))
    if not is_once or any(walk.enclosing_loops(call.statement)):
        return ()
    found = {
        part: _begin(part)
        for whole in positional(call)[:1]
        for part in walk.parts(call.scope.body)
        if isinstance(part, ex.Subscript) and part.span > call.span and _is_same(part.value, whole)
    }
    sliced = {part: begin for part, begin in found.items() if begin is not None}
    return tuple(sliced) if len(set(sliced.values())) > 1 else ()


def _begin(part: ex.Subscript) -> str | None:
    """Where a slice of the rows begins, by its spelling; None for what is no slice of them."""
    index = part.index
    if isinstance(index, ex.Sequence):
        index = index.items[0] if index.items else index
    if not isinstance(index, ex.Slice) or not any(index.bounds[:2]):
        return None
    first = index.bounds[0]
    number = ex.constant(first)
    return "" if first is None or (number and number.value == 0) else ex.spelled(first) or "?"


def _is_same(value: ex.Expression, whole: ex.Expression) -> bool:
    return any(_is_one(one, other) for one in names_of(value) for other in names_of(whole))


def _is_one(value: ex.Expression, whole: ex.Expression) -> bool:
    if isinstance(value, ex.Reference) and isinstance(whole, ex.Reference):
        return value.definition is not None and value.definition is whole.definition
    is_attribute = isinstance(value, ex.Attribute) and isinstance(whole, ex.Attribute)
    return is_attribute and ex.spelled(value) is not None and ex.spelled(value) == ex.spelled(whole)
