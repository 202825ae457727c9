"""Batch samplers of the project that take another sampler's order as it is.

Question: do the methods of such a class neither draw nor sort, nor have to do with epochs, so that
its batches have the order of the sampler that it is given? Names of calls alone are asked, in the
class and its ancestors in the project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.library_facts.samplers import ANCESTORS, REORDERING
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.values.values import Value


def orders_anew(context: AnalysisContext, value: Value) -> bool:
    """Whether an object of a class that derives from torch's samplers may give another order."""
    cls = attributes.project_class(value)
    classes = context.solver.classes
    if cls is None or ANCESTORS.isdisjoint(classes.externals(cls)):
        return False
    methods = (m for c in classes.ancestors(cls) for m in c.methods.values())
    return not classes.is_whole(cls) or any(map(_has_own_order, methods))


def _has_own_order(method: Scope) -> bool:
    names = {call.name for call in method.calls}
    stored = (store.target for store in method.stores)
    return (
        not names.isdisjoint(REORDERING | {"set_epoch"})
        or "epoch" in method.name
        or any(isinstance(t, ex.Attribute) and "epoch" in t.name for t in stored)
    )
