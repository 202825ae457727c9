"""Copies of what its loop has moved already, part by part, in the batch itself.

Question: does a function that is given a batch copy what the loop that hands it on has put onto the
device before (`batch[key] = batch[key].to(device)`)? Followed: writes of a copy into the batch by
index or attribute, and copies whose result nobody takes (`batch.to(device)` of what moves itself),
in any function; keys that are written out, through names and parameters. Whether they come first is
not asked: in another function than the one that writes, and than a loop over the loader, such a
copy is taken to do nothing. Given up on: copies of the same function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Evaluate, Scope
from dlint.model.loops.batch_loops import batch_loops
from dlint.semantics.values.values import AllocationSite, Batch

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.transfers.transfers import Transfer
    from dlint.semantics.calls.call_contexts import CallContext

Keys = frozenset[object] | None
"""The keys of a batch under which a value may stand; None where that is not known."""
_Moves = dict[AllocationSite, list[tuple[Scope, Keys]]]


def first_copies(context: AnalysisContext, copies: Sequence[Transfer]) -> Iterator[Transfer]:
    """Copies of batches, without what was moved before by a function that hands the batch on."""
    moves: _Moves = defaultdict(list)
    for copy in copies:
        for made, keys in _moved_by(context, copy):
            moves[made].append((copy.call.scope, keys))
    for copy in copies:
        of = (b for b in copy.batches if not _is_moved(context, copy, moves.get(b.loader, ())))
        batches = tuple(of)
        if len(batches) == len(copy.batches):
            yield copy
        elif batches:
            yield replace(copy, batches=batches)


def _is_moved(
    context: AnalysisContext, copy: Transfer, moves: Iterable[tuple[Scope, Keys]]
) -> bool:
    """Whether another function has moved what is copied, as far as keys tell."""
    scope = copy.call.scope
    elsewhere = [keys for moving, keys in moves if moving is not scope]
    if not elsewhere or any(moving is scope for moving, _ in moves):
        return False
    loaders = {batch.loader for batch in copy.batches}
    if any(loop.scope is scope and loop.loaders & loaders for loop in context[batch_loops]):
        return False
    own = Slice(context, _KEYS).of(copy.source, context.solver.root(scope))
    return any(own is None or keys is None or own & keys for keys in elsewhere)


def _moved_by(context: AnalysisContext, copy: Transfer) -> Iterator[tuple[AllocationSite, Keys]]:
    """The loaders whose batches hold a copy from then on, and under which keys."""
    scope, root = copy.call.scope, context.solver.root(copy.call.scope)
    if isinstance(copy.call.statement, Evaluate) and copy.call.statement.value is copy.call:
        keys = Slice(context, _KEYS).of(copy.source, root)
        yield from ((batch.loader, keys) for batch in copy.batches)
    for store in scope.stores:
        if store.statement is not copy.call.statement or copy.call not in walk.walk(store.value):
            continue
        holders = context.values(store.target.value, scope)
        held = {value.loader for value in holders if isinstance(value, Batch)}
        yield from ((made, _key_of(store.target)) for made in held)


def _key_of(part: ex.Attribute | ex.Subscript) -> Keys:
    if isinstance(part, ex.Attribute):
        return frozenset({part.name})
    key = ex.constant(part.index)
    return None if key is None else frozenset({key.value})


def _of_part(slice_: Slice[Keys], part: ex.Attribute | ex.Subscript, frame: CallContext) -> Keys:
    """The key of a part of a batch, or of what that is a part of: `batch["x"]["ids"]`."""
    values = slice_.context.solver.values(part.value, frame)
    if not any(isinstance(value, Batch) for value in values):
        return None
    return slice_.of(part.value, frame) or _key_of(part)


def _joined(found: Sequence[Keys]) -> Keys:
    known = [keys for keys in found if keys is not None]
    return frozenset[object]().union(*known) if len(known) == len(found) else None


_KEYS = Question[Keys](None, _joined, {ex.Subscript: _of_part, ex.Attribute: _of_part})
