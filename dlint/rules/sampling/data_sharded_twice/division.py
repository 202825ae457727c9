"""Datasets that a program certainly divides among the ranks: by slices, shards or subsets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model import sharding
from dlint.model.rank_expressions import is_rank
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_DEPTH = 6
_SPLITTING = frozenset({"split_dataset_by_node"})


def division(loader: Loader) -> Place | None:
    """Where the loader's data become one rank's part, if they do so on every path."""
    context = loader.context
    dataset = loader.given("dataset")
    if dataset is not None:
        for part, frame in _certain(context, *dataset, _DEPTH):
            if _divides(context, part, frame):
                return Place(frame.scope.module.path, *part.span)
    values = loader.values("dataset")
    classes = {attributes.project_class(value) for value in values}
    cls = classes.pop() if len(classes) == 1 else None
    return None if cls is None else _in_constructor(context, cls)


def _in_constructor(context: AnalysisContext, cls: Class) -> Place | None:
    """`self.paths = paths[rank::world_size]`, under no test."""
    init = context.solver.classes.method(cls, "__init__")
    for store in init.stores if init is not None else ():
        root = context.solver.root(store.scope)
        if store.statement.block.owner is None:
            for part, frame in _certain(context, store.value, root, _DEPTH):
                if isinstance(part, ex.Subscript) and _divides(context, part, frame):
                    return Place(frame.scope.module.path, *part.span)
    return None


def _certain(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, depth: int
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """An expression and what it is made of on every path: no branches."""
    if depth == 0 or isinstance(expression, ex.Conditional | ex.Join | ex.Boolean):
        return
    yield expression, frame
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        yield from _certain(context, expression.definition.value, frame, depth - 1)
    elif isinstance(expression, ex.Parameter):
        given = list(sharding.given_to(context, expression, frame))
        if len(given) == 1:
            yield from _certain(context, *given[0], depth - 1)
    elif not isinstance(expression, ex.Attribute | ex.Comprehension):
        for part in walk.children(expression):
            yield from _certain(context, part, frame, depth - 1)


def _divides(context: AnalysisContext, part: ex.Expression, frame: CallContext) -> bool:
    """Whether an expression takes every n-th element, or one shard, by the rank."""
    match part:
        case ex.Subscript(index=ex.Slice(bounds=(start, _, step))):
            return step is not None and start is not None and is_rank(context, start, frame)
        case ex.Call(name="range") if len(part.arguments) == 3:
            return is_rank(context, part.arguments[0].value, frame)
        case ex.Call(name="shard"):
            return any(is_rank(context, a.value, frame) for a in part.arguments)
        case ex.Call():
            return part.name in _SPLITTING
    return False
