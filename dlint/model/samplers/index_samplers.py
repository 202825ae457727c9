"""Samplers of the project that look their own indices up in themselves: indices of indices.

Question: does `__iter__` of a sampler class give `self.indices[i]` for `i` in `self.indices`? The
answer is the place, and what is known of the indices. Followed: names of the method, copies, orders
and conversions of the list, both sides of a choice, loops with `yield`, comprehensions. Given up
on: what `__iter__` calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import arguments_of
from dlint.analyses.callees import is_self
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.weights import CONVERTING, REORDERING
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader

_SAME = CONVERTING | REORDERING | {"permutation", "sample", "iter", "choice"}
_AS_NUMBER = frozenset({"int", "item"})
_NUMBERING = frozenset({"range", "arange", "randperm"})


class OwnLookup(NamedTuple):
    """Indices that are used as positions among themselves; `is_part`: known not to be all."""

    cls: Class
    attribute: str
    place: Place
    is_part: bool


def own_lookups(loader: Loader) -> Iterator[OwnLookup]:
    """Where the sampler of a loader looks its indices up in themselves."""
    context = loader.context
    for value in loader.values("sampler"):
        cls = attributes.project_class(value)
        method = None if cls is None else context.solver.classes.method(cls, "__iter__")
        if cls is None or method is None:
            continue
        for part, attribute in _lookups(method):
            given = list(_given(context, cls, attribute))
            if given and not any(map(_is_all, given)):
                place = Place(method.module.path, *part.span)
                yield OwnLookup(cls, attribute, place, all(map(_is_part, given)))
                break


def _lookups(method: Scope) -> Iterator[tuple[ex.Subscript, str]]:
    """`self.indices[i]` where `i` is one of, or all of, `self.indices`."""
    for result in _results(method):
        part = _plain(result)
        if isinstance(part, ex.Subscript) and not isinstance(part.index, ex.Slice):
            kept = _attribute(part.value, method)
            index = origin_of(part.index)
            source = index.source if isinstance(index, ex.Element) else index
            if kept is not None and kept == _attribute(source, method):
                yield part, kept


def _plain(result: ex.Expression) -> ex.Expression:
    """`self.indices[i]` of `int(self.indices[i])`, `self.indices[i].item()`."""
    made = origin_of(result)
    if isinstance(made, ex.Call) and made.name in _AS_NUMBER:
        receiver = made.function.value if isinstance(made.function, ex.Attribute) else None
        return origin_of(next(iter(positional(made)), None) or receiver or made)
    return made


def _results(method: Scope) -> Iterator[ex.Expression]:
    """What an iterator gives: what is yielded, and the elements of what is returned."""
    for made in method.yields:
        if made.value is not None:
            yield from _elements(made.value) if made.delegates else (origin_of(made.value),)
    for result in method.returns:
        yield from _elements(result)


def _elements(iterable: ex.Expression) -> Iterator[ex.Expression]:
    made = _unwrapped(iterable)
    yield origin_of(made.element) if isinstance(made, ex.Comprehension) else made


def _unwrapped(expression: ex.Expression) -> ex.Expression:
    """What a copy, a conversion or another order is made of."""
    made = origin_of(expression)
    while isinstance(made, ex.Call) and made.name in _SAME:
        given = positional(made)
        receiver = made.function.value if isinstance(made.function, ex.Attribute) else None
        inner = next(iter(given), None) or receiver
        if inner is None:
            break
        made = origin_of(inner)
    return made


def _attribute(expression: ex.Expression, method: Scope) -> str | None:
    """The attribute of the object that holds what an expression denotes, in any order."""
    made = _unwrapped(expression)
    if isinstance(made, ex.Conditional):
        held = {_attribute(side, method) for side in (made.then, made.otherwise)}
        return held.pop() if len(held) == 1 else None
    if isinstance(made, ex.Attribute) and is_self(made.value, method):
        return made.name
    return None


def _given(context: AnalysisContext, cls: Class, attribute: str) -> Iterator[ex.Expression]:
    """What the attribute is given, by all who make an object; a parameter where nobody is seen."""
    for write in context[ObjectStates].of(cls).writes:
        if write.attribute != attribute or write.inside:
            continue
        made = _unwrapped(write.value)
        if not isinstance(made, ex.Parameter):
            yield made
            continue
        root = context.solver.root(write.frame.scope)
        found = [origin_of(value) for value, _ in arguments_of(context, made, root)]
        yield from found or [made]


def _is_all(given: ex.Expression) -> bool:
    """Whether indices go from 0 on: they are their own positions, or an order of them."""
    made = _unwrapped(given)
    return (
        isinstance(made, ex.Call) and made.name in _NUMBERING and len(positional(made)) == 1
    ) or (isinstance(made, ex.Comprehension) and not made.conditions)


def _is_part(given: ex.Expression) -> bool:
    """Whether indices are certainly not all of them, from 0 on: a range from elsewhere, a slice."""
    made = _unwrapped(given)
    if isinstance(made, ex.Call) and made.name in _NUMBERING:
        start = ex.constant(next(iter(positional(made)), None))
        return start is None or start.value != 0
    is_slice = isinstance(made, ex.Subscript) and isinstance(made.index, ex.Slice)
    return is_slice or isinstance(made, ex.Sequence) or _is_indices(made)


def _is_indices(made: ex.Expression) -> bool:
    """`subset.indices`, which a split has drawn."""
    return isinstance(made, ex.Attribute) and made.name == "indices"
