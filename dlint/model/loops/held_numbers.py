"""Attributes in which an object keeps the number of the epoch that it runs.

Question: is an attribute that is read somewhere the number of the epoch? Followed: what a loop over
epochs itself counts in an attribute (`for self.epoch in range(n)`, `self.epoch += 1`), or writes
there of its own count; objects are told apart by their classes. Given up on: an owner that may be
something else, and what functions that the loop calls write.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.order import is_inside
from dlint.ir import expressions as ex
from dlint.model.loops.epochs import counts
from dlint.model.loops.growing_values import added_up
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope, Store
    from dlint.model.loops.epochs import EpochLoop


def keeps_number(
    context: AnalysisContext, epoch: EpochLoop, read: ex.Expression, scope: Scope
) -> bool:
    """Whether an expression reads the attribute in which a loop counts its epochs."""
    if not isinstance(read, ex.Attribute):
        return False
    written = [target for target in _counting(context, epoch) if target.name == read.name]
    owners = [_classes(context, target.value, epoch.scope) for target in written]
    classes = _classes(context, read.value, scope) if written else frozenset()
    return bool(classes) and any(classes <= owner for owner in owners)


def _counting(context: AnalysisContext, epoch: EpochLoop) -> Iterator[ex.Attribute]:
    """The attributes to which a loop writes the number of its epoch."""
    for store in epoch.scope.stores:
        if isinstance(store.target, ex.Attribute) and _is_number(context, epoch, store):
            yield store.target


def _is_number(context: AnalysisContext, epoch: EpochLoop, store: Store) -> bool:
    """Whether what is written is the count of the loop, or one that it goes on with."""
    if store.statement is epoch.loop:
        return counts(epoch.loop) and isinstance(store.value, ex.Element)
    if not is_inside(store.statement, epoch.loop):
        return False
    added = added_up(store.statement)
    by_hand = added is not None and isinstance(ex.constant(added[1]), ex.Constant)
    return by_hand or epoch.is_counter(context, store.value, epoch.scope)


def _classes(context: AnalysisContext, owner: ex.Expression, scope: Scope) -> frozenset[Class]:
    """The classes of the objects that an expression denotes, with those that inherit from them."""
    found = [attributes.project_class(value) for value in context.values(owner, scope)]
    known = [cls for cls in found if cls is not None]
    if len(known) < len(found):
        return frozenset()
    return frozenset(c for cls in known for c in context.solver.classes.family(cls))
