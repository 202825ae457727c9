"""Whether a loader can feed a loop: whether its samples have the parts that the loop takes.

Question: does a loop unpack its batches into another number of parts than a sample has, or ask by a
key for parts of what is no dict? Then the loader never comes to this loop in a run that goes on.
Followed: the samples that `__getitem__` of a class of the project writes out, and those of
torchvision's data sets of images with one target each, under the default collate function, also
behind torch's own parts of data sets; loops over the loader itself, also counted or in a progress
bar; what its rounds unpack a batch to first. Given up on, so that the answer is yes:
other data sets and loaders, samples that are not written out, stars.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.unpackings import Targets, targets_of
from dlint.analyses.value_parts import alternatives_of, origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Jump, Loop, Return
from dlint.library_facts.torchvision import dataset_facts
from dlint.model.samples.sample_sources import sources_of
from dlint.semantics.calls import attributes, calls
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.values.values import Value

_BARS = frozenset({"tqdm", "track", "progress_bar"})
_WRAPPED = 3
"""Calls around a loader that are looked through."""


def may_feed(context: AnalysisContext, made: AllocationSite, loop: Loop, scope: Scope) -> bool:
    """Whether batches of a loader may have the parts that a loop takes."""
    counted = _is_counted(context, made, loop, scope)
    samples = [] if counted is None else list(_samples(context, made))
    if counted is None or not samples:
        return True
    if any(loop.header[0] <= s.target.span[0] < loop.header[1] for s in scope.stores):
        return True  # a part goes to an attribute, which is no name
    return any(_fits(sample, loop, counted=counted) for sample in samples)


def _is_counted(
    context: AnalysisContext, made: AllocationSite, loop: Loop, scope: Scope
) -> bool | None:
    """Whether each batch comes with its number; None where the loop goes over something else."""
    found, counted = loop.iterable, 0
    for _ in range(_WRAPPED):
        found = None if found is None else origin_of(found)
        if not isinstance(found, ex.Call) or found.name not in {*_BARS, "enumerate"}:
            break
        counted += found.name == "enumerate"
        found = next(iter(positional(found)), None)
    values = set() if found is None or counted > 1 else set(context.values(found, scope))
    loaders = {v for v in values if calls.is_loader(context.solver, v)}
    plain = made in loaders or (bool(loaders) and len(loaders) == len(values))
    return bool(counted) if plain else None


_Sample = ex.Expression | int | None
"""A sample as it is written, or the number of its parts; None for one that is not known."""


def _samples(context: AnalysisContext, made: AllocationSite) -> Iterator[_Sample]:
    """What samples the data sets of a loader give."""
    if not library_path(made).startswith("torch.utils.data"):
        return
    if _values(context, made, "collate_fn") - {NONE}:
        return
    for dataset in sources_of(context, _values(context, made, "dataset")):
        cls = attributes.project_class(dataset)
        method = None if cls is None else context.solver.classes.method(cls, "__getitem__")
        if method is None:
            yield _parts_of(dataset)
        elif method.yields or method.decorators or not method.returns:
            yield None
        else:
            yield from (part for given in method.returns for part in alternatives_of(given))


def _parts_of(dataset: Value) -> int | None:
    """How many parts a sample of a library's data set has: an image, and what is said of it."""
    facts = dataset_facts(library_path(dataset))
    return 2 if facts is not None and facts.targets else None


def _values(context: AnalysisContext, made: AllocationSite, name: str) -> set[Value]:
    node = calls.argument(context.solver, made, name)
    context.solver.settle()
    return set() if node is None else set(node.values)


def _fits(sample: _Sample, loop: Loop, *, counted: bool) -> bool:
    """Whether a sample has the parts that a loop takes of its batches."""
    number = sample if isinstance(sample, int) else _number_of_parts(sample)
    if number is None:
        return True
    places = _places_in_batch(loop, counted=counted)
    if places:
        return places != set(range(len(places))) or len(places) == number
    if not all(targets.take(number) for targets in _unpackings(loop, counted=counted)):
        return False
    return not _asks_by_key(loop, counted=counted)


def _number_of_parts(sample: ex.Expression | None) -> int | None:
    """How many parts a tuple has that is written out; nobody can add to one."""
    if not isinstance(sample, ex.Sequence) or sample.kind != "tuple":
        return None
    if any(isinstance(item, ex.Starred) for item in sample.items):
        return None
    return len(sample.items)


def _places_in_batch(loop: Loop, *, counted: bool) -> set[int]:
    """Which parts of its batch the names of a loop hold; none where one holds all of it."""
    places = set[int]()
    for definition in loop.definitions:
        path = list(_path(definition.value))
        if counted and path[:1] == [0]:
            continue
        inside = path[1:] if counted else path
        if not inside or any(place < 0 for place in path):
            return set()
        places.add(inside[0])
    return places


def _path(value: ex.Expression) -> Iterator[int]:
    """Where a name stands in the target of a loop, from the outside in; -1 with a star."""
    if isinstance(value, ex.Item):
        yield from _path(value.value)
        yield -1 if value.starred else value.position


def _asks_by_key(loop: Loop, *, counted: bool) -> bool:
    """Whether the body asks the batch for a part by a text."""
    whole = [d for d in loop.definitions if _is_whole(d.value, counted=counted)]
    return any(
        isinstance(part, ex.Subscript)
        and isinstance(part.index, ex.Constant)
        and isinstance(part.index.value, str)
        and isinstance(part.value, ex.Reference)
        and part.value.definition in whole
        for statement in walk.statements(loop.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )


def _unpackings(loop: Loop, *, counted: bool) -> Iterator[Targets]:
    """What each round unpacks its batch to: `x, y = batch`, before anything decides or leaves."""
    whole = [d for d in loop.definitions if _is_whole(d.value, counted=counted)]
    for statement in loop.body.statements:
        if isinstance(statement, Jump | Return) or any(walk.blocks(statement)):
            return
        given = statement.value if isinstance(statement, Bind) else None
        if not isinstance(statement, Bind) or not isinstance(given, ex.Reference):
            continue
        targets = targets_of(statement) if given.definition in whole else None
        if targets is not None:
            yield targets


def _is_whole(value: ex.Expression, *, counted: bool) -> bool:
    """Whether a name of a loop holds a whole batch."""
    if not counted:
        return isinstance(value, ex.Element)
    if not isinstance(value, ex.Item) or value.position != 1 or value.starred:
        return False
    return isinstance(value.value, ex.Element)
