"""ineffective-subset-attribute: an attribute of a `Subset` that the data set behind it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.random_transforms import TRANSFORM_ARGUMENTS
from dlint.model.applied_transforms import reads_attribute
from dlint.model.dataset_origins import SUBSETS, DatasetOrigins, Origin
from dlint.model.worker_code import parts_of
from dlint.rules.dataset._split_attributes import part_assignments
from dlint.semantics.values.values import UNKNOWN, AllocationSite, External, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.dataset_origins import Assigned

_ASKING = frozenset({"getattr", "hasattr", "attrgetter"})
"""Functions that read an attribute by its name."""


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Writes to attributes of parts of data sets, which only the whole data set reads."""
    for assigned, parts in part_assignments(context):
        if not all(_belongs_to_whole(context, part, assigned.name) for part in parts):
            continue
        if _is_read(context, assigned):
            continue
        part = min(parts, key=lambda origin: origin.call.span)
        name = assigned.name
        yield Finding(
            Severity.ERROR,
            f"this is a `Subset`, which takes samples from its data set and never reads `{name}`, "
            "so nothing changes; give each part a data set of its own, made with its own "
            f"`{name}`, or wrap the part in a class that applies it",
            assigned.place,
            (Related(context.place_of(part.call), "the `Subset` is made here"),),
        )


def _belongs_to_whole(context: AnalysisContext, part: Origin, name: str) -> bool:
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


def _is_read(context: AnalysisContext, assigned: Assigned) -> bool:
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
    origin = value.origin if isinstance(value, AllocationSite) else None
    return isinstance(origin, External) and origin.path in SUBSETS | SPLITS
