"""Result parts: which expressions of a function what it returns is made of.

Question: does a value of a function go into its result? Followed are local names to what is bound
to them on any path, parts of expressions, and what a name's object takes in (`out[key] = x`,
`out.append(x)`). Not followed are attributes, and what called functions do with their arguments:
any of them may hand it on. Budget: `_MOST` roots a question, and `_MOST_VALUES` parts
of one value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import root_name
from dlint.analyses.object_state.writes import additions
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.ir import expressions as ex
from dlint.ir import walk

if TYPE_CHECKING:
    from dlint.ir.module import Scope

_MOST = 100
_MOST_VALUES = 400


def results(scope: Scope) -> list[ex.Expression]:
    """What a function returns or yields."""
    return [*scope.returns, *(y.value for y in scope.yields if y.value is not None)]


def parts_made_of(scope: Scope, wholes: Iterable[ex.Expression]) -> frozenset[ex.Expression]:
    """The expressions of a function that some of its expressions are made of, themselves too."""
    taken = [(root_name(container), value) for container, value, _ in additions(scope)]
    found, waiting, seen = set[ex.Expression](), list(wholes), set[ex.Expression]()
    while waiting and len(seen) < _MOST:
        whole = waiting.pop()
        if whole in seen:
            continue
        seen.add(whole)
        parts = set(parts_in_function(whole))
        found |= parts
        names = {part.name for part in parts if isinstance(part, ex.Reference)}
        waiting += [value for name, value in taken if name in names]
    return frozenset(found)


def result_items(scope: Scope) -> Iterator[tuple[ex.Expression, ...]]:
    """What each result consists of: the parts of a tuple, list or dict, or itself."""
    for result in results(scope):
        match origin_of(result):
            case ex.Sequence() as display:
                yield display.items
            case ex.Mapping() as display:
                yield tuple(value for _, value in display.items)
            case _:
                yield (result,)


def values_within(whole: ex.Expression) -> Iterator[ex.Expression]:
    """An expression and what it is made of by local names, without what tests choose it by."""
    waiting, seen = [whole], set[ex.Expression]()
    while waiting and len(seen) < _MOST_VALUES:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        if isinstance(part, ex.Reference):
            waiting += [] if part.definition is None else [part.definition.value]
        elif isinstance(part, ex.Conditional):
            waiting += [part.then, part.otherwise]
        else:
            waiting += walk.children(part)
