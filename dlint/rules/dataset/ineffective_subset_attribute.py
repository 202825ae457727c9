"""ineffective-subset-attribute: an attribute of a `Subset` that the data set behind it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.split_attributes import belongs_to_whole, is_read_of_part, part_assignments

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Writes to attributes of parts of data sets, which only the whole data set reads."""
    for assigned, parts in part_assignments(context):
        if not all(belongs_to_whole(context, part, assigned.name) for part in parts):
            continue
        if is_read_of_part(context, assigned):
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
