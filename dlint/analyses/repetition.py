"""Loops that run once for each sample, as against a handful of times."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, Scope
from dlint.ir.remembering import remembered
from dlint.ir.walk import bindings_of

_FEW = 16
"""A display of at most so many items is a handful of files, not a data set."""

_HANDING_ON = frozenset(
    {"enumerate", "zip", "tqdm", "list", "tuple", "sorted", "reversed", "items"}
)


def contains(outer: Span, inner: Span) -> bool:
    """Whether one span lies in another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@remembered(512)
def _loops(scope: Scope) -> tuple[Loop, ...]:
    return tuple(s for s in walk.statements(scope.body) if isinstance(s, Loop))


def repeating_loops(scope: Scope, span: Span) -> Iterator[Loop]:
    """The loops over many things whose body holds `span`, from the outside in."""
    for loop in _loops(scope):
        body = (loop.header[1], loop.span[1])
        if contains(body, span) and not (
            loop.iterable is not None and is_few(loop.iterable, scope)
        ):
            yield loop


def share_loop(scope: Scope, first: Span, second: Span) -> bool:
    """Whether two places are run together, again and again."""
    around = set(repeating_loops(scope, first))
    return any(loop in around for loop in repeating_loops(scope, second))


def is_few(iterable: ex.Expression, scope: Scope, depth: int = 6) -> bool:
    """Whether an iterable is a short list that the code itself spells out."""
    if depth == 0:
        return False
    match iterable:
        case ex.Sequence():
            starred = any(isinstance(item, ex.Starred) for item in iterable.items)
            return not starred and len(iterable.items) <= _FEW
        case ex.Mapping():
            return len(iterable.items) <= _FEW
        case ex.Reference():
            return _is_few_by_name(iterable, scope, depth)
        case ex.Conditional():
            sides = (iterable.then, iterable.otherwise)
            return all(is_few(side, scope, depth - 1) for side in sides)
        case ex.Attribute():
            return _is_few_by_attribute(iterable, scope, depth)
        case ex.Call():
            return _is_few_call(iterable, scope, depth)
    return False


def _is_few_by_name(name: ex.Reference, scope: Scope, depth: int) -> bool:
    if name.definition is not None:
        return is_few(name.definition.value, scope, depth - 1)
    outer: Scope | None = scope.parent
    while outer is not None:
        found = bindings_of(outer, name.name)
        if found:
            return all(is_few(d.value, outer, depth - 1) for d in found)
        outer = outer.parent
    return False


def _is_few_by_attribute(attribute: ex.Attribute, scope: Scope, depth: int) -> bool:
    """A list in the body of the class: `for name in self.splits`."""
    owner: Scope | None = scope
    while owner is not None and owner.owner is None:
        owner = owner.parent
    if owner is None or owner.owner is None:
        return False
    body = owner.owner.body
    found = bindings_of(body, attribute.name)
    return bool(found) and all(is_few(d.value, body, depth - 1) for d in found)


def _is_few_call(call: ex.Call, scope: Scope, depth: int) -> bool:
    values = [argument.value for argument in call.arguments]
    if call.name == "range":
        bounds = [known.value for v in values if (known := ex.constant(v)) is not None]
        return len(bounds) == len(values) and all(isinstance(b, int) and b <= _FEW for b in bounds)
    if isinstance(call.function, ex.Attribute) and call.name in ("items", "keys", "values"):
        return is_few(call.function.value, scope, depth - 1)
    return call.name in _HANDING_ON and any(is_few(v, scope, depth - 1) for v in values)


def counts(index: ex.Expression, depth: int = 4) -> bool:
    """Whether an index counts through a sequence: the target of a loop over `range(…)`."""
    if isinstance(index, ex.Reference) and index.definition is not None and depth:
        return counts(index.definition.value, depth - 1)
    if isinstance(index, ex.Item) and index.position == 0 and isinstance(index.value, ex.Element):
        iterable = index.value.source
        return isinstance(iterable, ex.Call) and iterable.name == "enumerate"
    if not isinstance(index, ex.Element):
        return False
    iterable = index.source
    if not isinstance(iterable, ex.Call):
        return False
    inner = written(iterable, 0, "iterable") if iterable.name == "tqdm" else None
    if inner is not None:
        return counts(ex.Element(index.span, inner), depth - 1)
    return iterable.name in ("range", "trange")


def unpacked_from(item: ex.Item) -> ex.Expression | None:
    """What one of several loop variables goes through: `b` for the second of `zip(a, b)`.

    None for a number that counts; of anything else what the item is unpacked from.
    """
    if not isinstance(item.value, ex.Element):
        return item.value
    source = item.value.source
    if not isinstance(source, ex.Call) or source.name not in {"zip", "enumerate"}:
        return item.value
    at = item.position if source.name == "zip" else item.position - 1
    given = positional(source)
    return given[at] if 0 <= at < len(given) else None
