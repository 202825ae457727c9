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
    from dlint.analyses.context import Program
    from dlint.ir.module import Class
    from dlint.model.loaders import Loader
    from dlint.semantics.calls.call_contexts import Frame

_DEPTH = 6
_SPLITTING = frozenset({"split_dataset_by_node"})


def division(loader: Loader) -> Place | None:
    """Where the loader's data become one rank's part, if they do so on every path."""
    program = loader.program
    dataset = loader.given("dataset")
    if dataset is not None:
        for part, frame in _certain(program, *dataset, _DEPTH):
            if _divides(program, part, frame):
                return Place(frame.scope.module.path, *part.span)
    values = loader.values("dataset")
    classes = {attributes.project_class(value) for value in values}
    cls = classes.pop() if len(classes) == 1 else None
    return None if cls is None else _in_constructor(program, cls)


def _in_constructor(program: Program, cls: Class) -> Place | None:
    """`self.paths = paths[rank::world_size]`, under no test."""
    init = program.flow.classes.method(cls, "__init__")
    for store in init.stores if init is not None else ():
        root = program.flow.root(store.scope)
        if store.statement.block.owner is None:
            for part, frame in _certain(program, store.value, root, _DEPTH):
                if isinstance(part, ex.Subscript) and _divides(program, part, frame):
                    return Place(frame.scope.module.path, *part.span)
    return None


def _certain(
    program: Program, expression: ex.Expression, frame: Frame, depth: int
) -> Iterator[tuple[ex.Expression, Frame]]:
    """An expression and what it is made of on every path: no branches."""
    if depth == 0 or isinstance(expression, ex.Conditional | ex.Join | ex.Boolean):
        return
    yield expression, frame
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        yield from _certain(program, expression.definition.value, frame, depth - 1)
    elif isinstance(expression, ex.Parameter):
        given = list(sharding.given_to(program, expression, frame))
        if len(given) == 1:
            yield from _certain(program, *given[0], depth - 1)
    elif not isinstance(expression, ex.Attribute | ex.Comprehension):
        for part in walk.children(expression):
            yield from _certain(program, part, frame, depth - 1)


def _divides(program: Program, part: ex.Expression, frame: Frame) -> bool:
    """Whether an expression takes every n-th element, or one shard, by the rank."""
    match part:
        case ex.Subscript(index=ex.Slice(bounds=(start, _, step))):
            return step is not None and start is not None and is_rank(program, start, frame)
        case ex.Call(name="range") if len(part.arguments) == 3:
            return is_rank(program, part.arguments[0].value, frame)
        case ex.Call(name="shard"):
            return any(is_rank(program, a.value, frame) for a in part.arguments)
        case ex.Call():
            return part.name in _SPLITTING
    return False
