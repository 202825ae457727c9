"""Changes of a sample: what a function does to it by a number that it draws.

Question: does a drawn number decide how, or whether, what a function returns is cut, turned,
shifted or flipped? Followed: bounds of a slice of what is no attribute of the object, arguments of
functions that change by them, and branches that chance decides, if what they leave behind is made
of what was there, by a call, by slicing or item by item. Given up on: branches that bind anything
else for what follows, such as another sample or its label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self, root_name
from dlint.analyses.calls import library_callees
from dlint.analyses.result_parts import parts_made_of, results, values_within
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, If
from dlint.library_facts.random_transforms import changes_by_argument
from dlint.library_facts.seeding import SIZES, draws_one_number
from dlint.model.samples.chances import comes_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.samples.chances import Chances
    from dlint.semantics.calls.call_contexts import CallContext


_SCALING = frozenset({"*", "/", "+", "-", "@"})
_PRODUCTS = frozenset({"dot", "matmul", "mm", "bmm", "einsum"})


def changes_sample(
    context: AnalysisContext,
    chances: Chances,
    call: ex.Call,
    frame: CallContext,
    *,
    switched: bool,
) -> bool:
    """Whether what a call draws decides how, or whether, what its function returns is changed.

    Where the object is `switched` to draw, scaling and shifting numbers by one number counts too.
    """
    scope = call.scope
    returned = parts_made_of(scope, results(scope))
    branches = (s for s in walk.statements(scope.body) if isinstance(s, If))
    if switched and _is_one_number(context, call) and any(_scaled(returned, call)):
        return True
    return any(
        _is_bound(part, call)
        or _is_given(context, part, call)
        or _is_choice(chances, part, call, frame)
        for part in returned
    ) or any(
        chances.decides(branch.test, call, frame) and _is_change(branch, scope, returned)
        for branch in branches
    )


def _is_bound(part: ex.Expression, call: ex.Call) -> bool:
    """`wave[start:start + n]`, of what the function has of one sample."""
    if not isinstance(part, ex.Subscript) or _is_own(part.value, call.scope):
        return False
    slices = (inner for inner in walk.walk(part.index) if isinstance(inner, ex.Slice))
    return any(comes_of(bound, call) for inner in slices for bound in inner.bounds if bound)


def _is_own(whole: ex.Expression, scope: Scope) -> bool:
    """Whether something is an attribute of the data set: all samples, perhaps."""
    origin = origin_of(whole)
    return isinstance(origin, ex.Attribute) and is_self(origin.value, scope)


def _is_given(context: AnalysisContext, part: ex.Expression, call: ex.Call) -> bool:
    """`TF.rotate(image, angle)`."""
    if not isinstance(part, ex.Call) or part is call:
        return False
    given = any(comes_of(argument.value, call) for argument in part.arguments)
    return given and any(map(changes_by_argument, library_callees(context, part)))


def _is_one_number(context: AnalysisContext, call: ex.Call) -> bool:
    sized = any(written(call, None, name) is not None for name in SIZES)
    if sized or any(argument.star for argument in call.arguments):
        return False
    given = positional(call)
    first = ex.constant(given[0]) if given else None
    value = None if first is None else first.value
    return any(draws_one_number(p, len(given), value) for p in library_callees(context, call))


def _scaled(returned: frozenset[ex.Expression], call: ex.Call) -> Iterator[ex.Expression]:
    """`image * random.uniform(0.8, 1.2)`, and no number by which something is picked."""
    taken = (part.index for part in returned if isinstance(part, ex.Subscript))
    picking = {part for index in taken for part in parts_in_function(index)}
    for part in returned - picking:
        sides = _sides(part)
        others = [side for side in sides if call not in values_within(side)]
        if 0 < len(others) < len(sides) and not isinstance(origin_of(others[0]), ex.Constant):
            yield part


def _sides(part: ex.Expression) -> list[ex.Expression]:
    """What numbers and arrays an operation is made of."""
    if isinstance(part, ex.Binary):
        return [part.left, part.right] if part.operator in _SCALING else []
    if isinstance(part, ex.Call) and part.name in _PRODUCTS:
        owner = [part.function.value] if isinstance(part.function, ex.Attribute) else []
        return [*owner, *positional(part)]
    return []


def _is_choice(chances: Chances, part: ex.Expression, call: ex.Call, frame: CallContext) -> bool:
    """`image.flip(-1) if random.random() < 0.5 else image`."""
    if not isinstance(part, ex.Conditional) or not chances.decides(part.test, call, frame):
        return False
    sides = (part.then, part.otherwise)
    names = [side.name for side in sides if isinstance(side, ex.Reference)]
    others = (side for side in sides if not isinstance(side, ex.Reference))
    return len(names) == 1 and any(
        _reads(inner, names[0]) for s in others for inner in walk.walk(s)
    )


# -- branches


def _is_change(branch: If, scope: Scope, returned: frozenset[ex.Expression]) -> bool:
    """`if random.random() < 0.5: image = image.flip(-1)`, and what is returned is made of it."""
    if branch.otherwise.statements:
        return False
    left = [(d, value) for d, value in _bound(branch) if _is_read_behind(d, branch, scope)]
    if not all(_is_made_of(value, definition.name) for definition, value in left):
        return False
    changed = (d for d, value in left if _is_remade(value, d.name))
    return any(d.value in returned for d in changed) or _is_rearranged(branch, returned)


def _bound(branch: If) -> Iterator[tuple[ex.Definition, ex.Expression]]:
    """What a branch binds, each name with its own side of `a, b = f(a), f(b)`."""
    for statement in walk.statements(branch.then):
        for definition in statement.definitions if isinstance(statement, Bind) else ():
            item, value = definition.value, definition.value
            if isinstance(item, ex.Item) and isinstance(item.value, ex.Sequence):
                value = item.value.items[item.position]
            yield definition, value


def _is_read_behind(definition: ex.Definition, branch: If, scope: Scope) -> bool:
    return any(
        _reads(part, definition.name) and part.span[0] >= branch.span[1]
        for part in walk.parts(scope.body)
    )


def _is_made_of(value: ex.Expression, name: str) -> bool:
    return any(_reads(part, name) for part in parts_in_function(value))


def _is_remade(value: ex.Expression, name: str) -> bool:
    """Whether a call or a slice takes what a name held."""
    return any(
        _is_made_of(part, name)
        for part in parts_in_function(value)
        if isinstance(part, ex.Call) or _is_slicing(part)
    )


def _is_slicing(part: ex.Expression) -> bool:
    return isinstance(part, ex.Subscript) and any(
        isinstance(inner, ex.Slice) for inner in walk.walk(part.index)
    )


def _is_rearranged(branch: If, returned: frozenset[ex.Expression]) -> bool:
    """`frames[i] = frames[i - 1]`."""
    stores = [
        store
        for statement in walk.statements(branch.then)
        if isinstance(statement, Bind)
        for store in statement.stores
        if isinstance(store.target, ex.Subscript)
    ]
    named = ((root_name(store.target), store.value) for store in stores)
    return any(
        name is not None
        and any(_reads(part, name) for part in returned)
        and any(_reads(part, name) for part in walk.walk(value))
        for name, value in named
    )


def _reads(part: ex.Expression, name: str) -> bool:
    return isinstance(part, ex.Reference) and part.name == name
