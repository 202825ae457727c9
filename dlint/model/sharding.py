"""Data that ranks split among themselves, without a distributed sampler: what speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.distributed import MADE_UP, MAP_STYLE, SHARDED, VARIABLES
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import AllocationSite, External, FunctionObject, Method, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loader import Loader

_DEPTH = 6
_MOST = 2000
"""Expressions that are looked behind for one question."""
_METHODS = ("__init__", "__getitem__", "__len__", "__iter__")
_DRAWING = frozenset({"randn", "rand", "randint", "randn_like", "rand_like"})


def is_sharded(loader: Loader) -> bool:
    """Whether the data of a loader may be one rank's own part."""
    dataset = loader.given("dataset")
    if dataset is not None and (
        speaks_of(loader.context, *dataset, SHARDED) or _is_cut(loader, dataset[0])
    ):
        return True
    return any(_splits_itself(loader.context, v) for v in loader.values("dataset"))


def _is_cut(loader: Loader, dataset: ex.Expression) -> bool:
    """Whether a part is written back to the dataset: `dataset.data = dataset.data[rank::n]`."""
    name, scope = ex.dotted(dataset), loader.call.scope
    root = loader.context.solver.root(scope)
    return name is not None and any(
        speaks_of(loader.context, store.value, root, SHARDED)
        for store in scope.stores
        if ex.dotted(store.target.value) == name
    )


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
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        return value.origin.path.startswith(MAP_STYLE)
    cls = attributes.project_class(value)
    if cls is None or context.solver.classes.method(cls, "__getitem__") is None:
        return False
    paths = context.solver.classes.externals(cls)
    return not any(path.endswith(("IterableDataset", "IterDataPipe")) for path in paths)


def is_made_up(loader: Loader) -> bool:
    """Whether the samples are random numbers, of which every rank may draw its own."""
    dataset = loader.given("dataset")
    if dataset is not None and any(_is_made_up(p) for p in parts(loader.context, *dataset)):
        return True
    classes = (attributes.project_class(v) for v in loader.values("dataset"))
    return any(cls is not None and _draws(cls) for cls in classes)


def _is_made_up(part: ex.Expression) -> bool:
    name = part.name if isinstance(part, ex.Reference | ex.Attribute | ex.Call) else None
    return name is not None and (name in _DRAWING or MADE_UP.search(name) is not None)


def _draws(cls: Class) -> bool:
    if MADE_UP.search(cls.name):
        return True
    scopes = (cls.methods[name] for name in _METHODS if name in cls.methods)
    return any(call.name in _DRAWING for scope in scopes for call in scope.calls)


def _splits_itself(context: AnalysisContext, value: Value) -> bool:
    """Whether a dataset class asks for ranks in one of its methods."""
    cls = attributes.project_class(value)
    if cls is None:
        return False
    scopes = (m for owner in context.solver.classes.ancestors(cls) for m in owner.methods.values())
    return any(_names_ranks(scope) for scope in scopes)


def _names_ranks(scope: Scope) -> bool:
    if any(SHARDED.search(spec.name) for spec in scope.parameters):
        return True
    return any(SHARDED.search(call.name or "") for call in scope.calls)


def speaks_of(
    context: AnalysisContext,
    expression: ex.Expression,
    frame: CallContext,
    pattern: re.Pattern[str],
    depth: int = _DEPTH,
) -> bool:
    """Whether a name that an expression is made of, as far as it can be followed, matches."""
    return any(
        pattern.search(name)
        for part in parts(context, expression, frame, depth)
        for name in _names(part)
    )


def _names(part: ex.Expression) -> Iterator[str]:
    match part:
        case ex.Reference() | ex.Attribute():
            yield part.name
        case ex.Parameter():
            yield part.name
        case ex.Call():
            yield from (a.keyword for a in part.arguments if a.keyword is not None)
        case ex.Constant(value=str() as text) if text in VARIABLES:
            yield text


def parts(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, depth: int = _DEPTH
) -> Iterator[ex.Expression]:
    """An expression and all that it is made of: definitions, arguments, results, attributes.

    Each is looked at once, the nearest first, and not more than a few thousand.
    """
    level = {(expression, frame): None}
    seen = dict(level)
    for _ in range(depth):
        further: dict[tuple[ex.Expression, CallContext], None] = {}
        for whole, where in level:
            for part in walk.walk(whole):
                yield part
                further.update(dict.fromkeys(_behind(context, part, where)))
        level = {pair: None for pair in further if pair not in seen}
        seen.update(level)
        if len(seen) > _MOST:
            return


def _behind(
    context: AnalysisContext, part: ex.Expression, frame: CallContext
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What stands behind one name or call."""
    match part:
        case ex.Reference() if part.definition is not None:
            yield part.definition.value, frame
        case ex.Parameter():
            yield from given_to(context, part, frame)
        case ex.Attribute() if isinstance(part.value, ex.Reference):
            yield from _written(context, part, frame)
        case ex.Call():
            for value in context.solver.values(part.function, frame):
                if isinstance(value, FunctionObject | Method):
                    root = context.solver.root(value.scope)
                    yield from ((result, root) for result in value.scope.returns)


def _written(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What the project writes to an attribute of its own objects."""
    stores = [s for s in context.project.writing(attribute.name) if attributes.written_on_self(s)]
    if not stores:
        return
    owners = (attributes.project_class(v) for v in context.solver.values(attribute.value, frame))
    family = {c for cls in owners if cls is not None for c in context.solver.classes.family(cls)}
    for store in stores:
        if attributes.written_on_self(store) in family:
            yield store.value, context.solver.root(store.scope)


def given_to(
    context: AnalysisContext, parameter: ex.Parameter, frame: CallContext
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What an activation's parameter is given, or each call of the function gives it."""
    frames = [frame] if frame.call is not None else context.evaluator.callers(frame.scope)
    given = (entered.given(parameter.name) for entered in frames)
    yield from (pair for pair in given if pair is not None)
