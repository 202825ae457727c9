"""negative-stride-sample: arrays that run backwards, given to torch without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import CallMethod
from dlint.findings.places import Place
from dlint.model.samples.refused_views import refused_views

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Views that run backwards and come to torch without a copy, once for each."""
    seen: set[Place] = set()
    for refused in refused_views(context):
        place = refused.view
        if place in seen:
            continue
        seen.add(place)
        yield Finding(
            Severity.ERROR,
            f"this is a view with a negative stride, and {refused.by} raises ValueError for one: "
            "torch has no such tensors; give it a copy (`.copy()`)",
            place,
            (Related(refused.place, "the view comes to torch here"),),
            Fix(Applicability.SAFE, "Copy what was turned round", (CallMethod(place, "copy"),)),
        )
