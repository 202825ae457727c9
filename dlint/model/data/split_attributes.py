"""Attributes that are written to the parts of a data set, and to the data set behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.ir import expressions as ex
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.random_transforms import TRANSFORM_ARGUMENTS
from dlint.model.data.dataset_origins import (
    SUBSETS,
    Assigned,
    DatasetOrigins,
    Origin,
    Origins,
    assignments,
)
from dlint.model.samples.applied_transforms import reads_attribute
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.values.values import UNKNOWN, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.data.dataset_origins import Assigned

OF_SUBSET = frozenset({"dataset", "indices"})
"""What a `Subset` itself reads."""


def part_assignments(context: AnalysisContext) -> Iterator[tuple[Assigned, frozenset[Origin]]]:
    """Writes to attributes of what certainly is torch's `Subset`, with the parts it may be."""
    origins = context[DatasetOrigins]
    for assigned in context[assignments]:
        if assigned.name not in OF_SUBSET:
            found = origins.parts(assigned.owner, context.solver.root(assigned.scope))
            if found:
                yield assigned, found


def whole_assignments(context: AnalysisContext, whole: Origin) -> Iterator[Assigned]:
    """Writes from outside to attributes of a data set, and to `.dataset` of its parts."""
    origins = context[DatasetOrigins]
    for assigned in context[assignments]:
        scope = assigned.scope
        if is_self(assigned.owner, scope):
            continue
        found = origins.of(assigned.owner, context.solver.root(scope))
        if assigned.name == "dataset":
            if _may_be_of(context, found, whole, scope):
                yield assigned
        elif found is not None and any(whole.call is other.call for other in found):
            yield assigned


def may_change_transform(context: AnalysisContext, whole: Origin) -> bool:
    """Whether a data set may be the one of several that its module gives another transform.

    `sets[phase].transform = …`, `for part in sets.values(): part.transform = …`.
    """
    origins = context[DatasetOrigins]
    return any(
        assigned.name in TRANSFORM_ARGUMENTS
        and assigned.scope.module is whole.call.scope.module
        and isinstance(ex.unnamed(assigned.owner), ex.Subscript | ex.Element | ex.Item)
        and origins.of(assigned.owner, context.solver.root(assigned.scope)) is None
        for assigned in context[assignments]
    )


def _may_be_of(context: AnalysisContext, found: Origins, whole: Origin, scope: Scope) -> bool:
    """Whether what has another data set put behind it may be a part of this one."""
    if found is None:
        return scope.module is whole.call.scope.module
    wholes = [context[DatasetOrigins].whole(part) for part in found]
    return any(one is None or any(whole.call is o.call for o in one) for one in wholes)


_ASKING = frozenset({"getattr", "hasattr", "attrgetter"})
"""Functions that read an attribute by its name."""


def belongs_to_whole(context: AnalysisContext, part: Origin, name: str) -> bool:
    """Whether the data set behind a part reads the attribute for its samples."""
    origins = context[DatasetOrigins]
    wholes = origins.whole(part)
    if wholes is None:
        return name in TRANSFORM_ARGUMENTS
    classes = [origins.project_class(whole) for whole in wholes]
    return all(
        name in TRANSFORM_ARGUMENTS if cls is None else reads_attribute(context, cls, name)
        for cls in classes
    )


def is_read_of_part(context: AnalysisContext, assigned: Assigned) -> bool:
    """Whether code may read the attribute of a part, other than an object of a class its own."""
    for facts in context.modules:
        for scope in facts.module.scopes:
            targets = {id(store.target) for store in scope.stores}
            for part in parts_of(scope):
                if id(part) not in targets and _reads(context, part, assigned.name, scope):
                    return True
    return False


def _reads(context: AnalysisContext, part: ex.Expression, name: str, scope: Scope) -> bool:
    if isinstance(part, ex.Call) and part.name in _ASKING:
        return any(
            isinstance(a.value, ex.Constant) and a.value.value == name for a in part.arguments
        )
    if not isinstance(part, ex.Attribute) or part.name != name or is_self(part.value, scope):
        return False
    found = context.values(part.value, scope)
    known = found and all(v != UNKNOWN and not _is_subset(v) for v in found)
    return not known


def _is_subset(value: Value) -> bool:
    return library_path(value) in SUBSETS | SPLITS
