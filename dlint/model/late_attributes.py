"""Attributes that are set on a loader once it is made.

Question: where is an attribute that torch's constructor reads written on a loader afterwards
(`loader.batch_size = 4`)? Given up on: what may be another object than a loader, loaders of project
classes, and code that is never run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.completions import is_dead
from dlint.findings.places import Place
from dlint.library_facts import loaders as signature
from dlint.semantics.calls import attributes, calls
from dlint.semantics.values.values import AllocationSite, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Store


class LateAttribute(NamedTuple):
    """`loader.name = …`, which raises, or changes nothing."""

    name: str
    place: Place


def late_attributes(context: AnalysisContext) -> Iterator[LateAttribute]:
    """The attributes that torch's constructor reads and that are set on a loader afterwards."""
    for name in (*signature.CONSTRUCTED_WITH, "shuffle"):
        for store in context.project.writing(name):
            if _is_on_loader(context, store) and not is_dead(store.statement):
                yield LateAttribute(name, Place(store.scope.module.path, *store.statement.span))


def _is_on_loader(context: AnalysisContext, store: Store) -> bool:
    if attributes.written_on_self(store) is not None:
        return False
    found = context.values(store.target.value, store.scope)
    return bool(found) and all(
        isinstance(value, AllocationSite)
        and isinstance(value.origin, External)
        and value.origin.path.startswith("torch.utils.data.")
        and calls.is_loader(context.solver, value)
        for value in found
    )
