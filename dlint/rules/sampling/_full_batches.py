"""Averages over `len(loader) * batch_size`, as if every batch were full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_to
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Loop
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.volume import volume_of
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop

_COUNTING = frozenset({"sum", "count_nonzero"})
"""Calls by which the right predictions of a batch are counted."""


class FullBatches(NamedTuple):
    """A count over the samples of a loop, divided as if the last batch were full."""

    product: ex.Binary
    """`len(loader) * batch_size`."""
    scope: Scope
    length: ex.Call
    loader: Loader
    loop: BatchLoop


def full_batches(context: AnalysisContext) -> Iterator[FullBatches]:
    """Counts over loops whose last batch may hold fewer samples than it is taken to."""
    for call in calls_to(context, "builtins.len"):
        given = written(call, 0)
        divided = None if given is None else _divided(call)
        if given is None or divided is None:
            continue
        total, product, factor = divided
        for loader in context[Loaders].denoted(given, call.scope)[:1]:
            loop = next((x for x in loader.loops if _counts(x, call, total)), None)
            if loop is not None and _is_batch_size(loader, factor, call.scope):
                yield FullBatches(product, call.scope, call, loader, loop)


def _divided(call: ex.Call) -> tuple[ex.Expression, ex.Binary, ex.Expression] | None:
    """What is divided by a product with a length, the product, and its other factor."""
    for expression in walk.expressions(call.statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Binary) and part.operator == "/":
                product = part.right
                if isinstance(product, ex.Binary) and product.operator == "*":
                    sides = (product.left, product.right)
                    if call in sides:
                        return part.left, product, sides[1 - sides.index(call)]
    return None


def _is_batch_size(loader: Loader, factor: ex.Expression, scope: Scope) -> bool:
    """Whether a factor is certainly the loader's batch size, and the last batch may be smaller."""
    context = loader.context
    found = context.evaluator.of(factor, context.solver.root(scope))
    sizes = {a.value for a in loader.argument("batch_size")}
    if len(sizes) != 1 or {a.value for a in found} != sizes or not _is_number(*sizes):
        return False
    dropping = any(a.value not in (ABSENT, FALSE) for a in loader.argument("drop_last"))
    return not dropping and not volume_of(loader).fills_batches and not _is_made_up(loader)


def _is_number(value: object) -> bool:
    return isinstance(value, Literal) and value.kind == "int" and value.value != 1


def _is_made_up(loader: Loader) -> bool:
    """Whether a framework decides what the loader gives."""
    return bool(loader.context[Consumption].of(loader.made))


def _counts(loop: BatchLoop, call: ex.Call, total: ex.Expression) -> bool:
    """Whether a dividend counts samples in a loop that ends before the division."""
    return any(
        isinstance(part, ex.Call) and part.name in _COUNTING
        for added in sums(loop, call, total)
        for part in walk.walk(added)
    )


def sums(loop: BatchLoop, call: ex.Call, total: ex.Expression) -> Iterator[ex.Expression]:
    """What a loop that ends before a division adds to its dividend."""
    if not isinstance(loop.statement, Loop) or loop.scope is not call.scope:
        return
    if loop.statement.span[1] > call.span[0]:
        return
    names = {ex.dotted(part) for part in walk.walk(total)} - {None}
    for statement in walk.statements(loop.statement.body):
        added = statement.value if isinstance(statement, Bind) else None
        if (
            isinstance(added, ex.Binary)
            and added.operator == "+"
            and ex.dotted(added.left) in names
        ):
            yield added.right
