"""Data that ranks split among themselves, without a distributed sampler: what speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_to
from dlint.analyses.value_parts import parts_behind
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.concurrency import STARTERS, EdgeKind, Starter
from dlint.library_facts.distributed import MADE_UP, MAP_STYLE, PARTED, SHARDED, VARIABLES
from dlint.library_facts.streams import SHARD_FILES
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import (
    UNKNOWN,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader

_METHODS = ("__init__", "__getitem__", "__len__", "__iter__")
_DRAWING = frozenset({"randn", "rand", "randint", "randn_like", "rand_like"})


def is_sharded(loader: Loader, pattern: re.Pattern[str] = SHARDED) -> bool:
    """Whether the data of a loader may be one rank's own part, by names that fit a pattern."""
    dataset = loader.given("dataset")
    classes = [attributes.project_class(value) for value in loader.values("dataset")]
    # what a class of the project does is looked at, whatever its name says
    names = frozenset(cls.name for cls in classes if cls is not None)
    if dataset is not None and (
        speaks_of(loader.context, *dataset, pattern, but=names)
        or _is_cut(loader, dataset[0])
        or _is_dealt_out(loader.context, *dataset)
    ):
        return True
    return any(_splits_itself(loader.context, v, pattern) for v in loader.values("dataset"))


def is_own_part(loader: Loader) -> bool:
    """The same of streams, of which shards may be known to be the files that all ranks read."""
    classes = [attributes.project_class(value) for value in loader.values("dataset")]
    files = all(cls is not None and shards_are_files(loader.context, cls) for cls in classes)
    return is_sharded(loader, PARTED if files else SHARDED)


def _is_cut(loader: Loader, dataset: ex.Expression) -> bool:
    """Whether a part is written back to the dataset: `dataset.data = dataset.data[rank::n]`."""
    name, scope = ex.dotted(dataset), loader.call.scope
    root = loader.context.solver.root(scope)
    return name is not None and any(
        speaks_of(loader.context, store.value, root, SHARDED)
        for store in scope.stores
        if ex.dotted(store.target.value) == name
    )


def _is_dealt_out(context: AnalysisContext, dataset: ex.Expression, frame: CallContext) -> bool:
    """Whether the data are a part that a loop over processes takes for each of them."""
    counters = context[process_counters]
    return bool(counters) and any(
        isinstance(name, ex.Reference) and name.definition in counters
        for part in parts_behind(context, dataset, frame)
        if isinstance(part, ex.Subscript)
        for name in walk.walk(part.index)
    )


def process_counters(context: AnalysisContext) -> frozenset[ex.Definition]:
    """What loops count by that start a process in each round."""
    starting = calls_to(context, *(path for path, how in STARTERS.items() if _is_process(how)))
    loops = {loop for call in starting for loop in walk.enclosing_loops(call.statement)}
    return frozenset(definition for loop in loops for definition in loop.definitions)


def _is_process(starter: Starter) -> bool:
    return starter.kind is EdgeKind.PROCESS


def is_map_style(loader: Loader) -> bool:
    """Whether the dataset can certainly be indexed; torch refuses to shuffle any other."""
    if any(a.truth is True for a in loader.argument("shuffle")):
        return True
    found = loader.values("dataset")
    return bool(found) and all(_can_be_indexed(loader.context, value) for value in found)


def shuffles(loader: Loader) -> bool:
    """Whether `shuffle` is certainly on."""
    return all(a.truth is True for a in loader.argument("shuffle"))


def _can_be_indexed(context: AnalysisContext, value: Value) -> bool:
    if is_of_library(value):
        return library_path(value).startswith(MAP_STYLE)
    cls = attributes.project_class(value)
    if cls is None or context.solver.classes.method(cls, "__getitem__") is None:
        return False
    paths = context.solver.classes.externals(cls)
    return not any(path.endswith(("IterableDataset", "IterDataPipe")) for path in paths)


def is_made_up(loader: Loader) -> bool:
    """Whether the samples are random numbers, of which every rank may draw its own."""
    dataset = loader.given("dataset")
    parts = [] if dataset is None else list(parts_behind(loader.context, *dataset))
    alike = {part.function for part in parts if isinstance(part, ex.Call) and draws_alike(part)}
    if any(_is_made_up(part) for part in parts if part not in alike):
        return True
    classes = (attributes.project_class(v) for v in loader.values("dataset"))
    return any(cls is not None and _draws(cls) for cls in classes)


def _is_made_up(part: ex.Expression) -> bool:
    name = part.own_name if isinstance(part, ex.Reference | ex.Attribute) else None
    return name is not None and (name in _DRAWING or MADE_UP.search(name) is not None)


def draws_alike(call: ex.Call) -> bool:
    """Whether a call is given a generator of its own to draw with: all processes make it with one
    seed, if nothing else is asked for (`torch.Generator().initial_seed()` is a constant)."""
    return written(call, None, "generator") is not None


def _draws(cls: Class) -> bool:
    """Whether a class draws its samples, or what it takes them from; not one that changes them."""
    if MADE_UP.search(cls.name):
        return True
    methods = [cls.methods[name] for name in _METHODS if name in cls.methods]
    drawing = [m.name for m in methods if any(map(_is_draw, m.calls))]
    return drawing[:1] == ["__init__"] or (bool(drawing) and not _takes_by_index(cls))


def _is_draw(call: ex.Call) -> bool:
    return call.name in _DRAWING and not draws_alike(call)


def _takes_by_index(cls: Class) -> bool:
    """Whether a sample is taken by its index out of something."""
    method = cls.methods.get("__getitem__")
    index = method.parameters[1].name if method is not None and method.parameters[1:] else None
    parts = walk.parts(method.body) if method is not None and index is not None else ()
    taken = (part.index for part in parts if isinstance(part, ex.Subscript))
    inside = (ex.unnamed(name) for place in taken for name in walk.walk(place))
    return any(isinstance(name, ex.Parameter) and name.name == index for name in inside)


def _splits_itself(context: AnalysisContext, value: Value, pattern: re.Pattern[str]) -> bool:
    """Whether a dataset class asks for ranks in one of its methods."""
    cls = attributes.project_class(value)
    if cls is None:
        return False
    scopes = (m for owner in context.solver.classes.ancestors(cls) for m in owner.methods.values())
    return any(_names_ranks(scope, pattern) for scope in scopes)


def speaks_of_ranks(context: AnalysisContext, cls: Class) -> bool:
    """Whether a name in the methods of a class, or a parameter of theirs, is one of ranks."""
    methods = (m for owner in context.solver.classes.ancestors(cls) for m in owner.methods.values())
    return any(
        _names_ranks(method)
        or any(SHARDED.search(n) for p in walk.parts(method.body) for n in _names(p))
        for method in methods
    )


def _names_ranks(scope: Scope, pattern: re.Pattern[str] = SHARDED) -> bool:
    if any(pattern.search(spec.name) for spec in scope.parameters):
        return True
    return any(pattern.search(call.name or "") for call in scope.calls)


def shards_are_files(context: AnalysisContext, cls: Class) -> bool:
    """Whether all that a class is given under names of shards is seen to be made, as files are."""
    methods = [m for owner in context.solver.classes.ancestors(cls) for m in owner.methods.values()]
    given = [
        context.values(definition.value, method)
        for method in methods
        for definition in method.definitions
        if isinstance(definition.value, ex.Parameter) and SHARD_FILES.search(definition.name)
    ]
    return bool(given) and all(values and UNKNOWN not in values for values in given)


def speaks_of(
    context: AnalysisContext,
    expression: ex.Expression,
    frame: CallContext,
    pattern: re.Pattern[str],
    deep: int = 6,
    but: frozenset[str] = frozenset(),
) -> bool:
    """Whether a name that an expression is made of, as far as it can be followed, matches.

    Names in `but` do not count.
    """
    return any(
        name not in but and pattern.search(name)
        for part in parts_behind(context, expression, frame, deep)
        for name in _names(part)
    )


def _names(part: ex.Expression) -> Iterator[str]:
    match part:
        case ex.Reference() | ex.Attribute():
            yield part.own_name
        case ex.Parameter():
            yield part.name
        case ex.Call():
            yield from (a.keyword for a in part.arguments if a.keyword is not None)
        case ex.Constant(value=str() as text) if text in VARIABLES:
            yield text
