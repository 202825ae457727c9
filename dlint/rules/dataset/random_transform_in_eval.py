"""random-transform-in-eval: random augmentation of data that is only evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.random_evaluations import random_evaluations

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Data sets with a random transform that only evaluations take samples of."""
    seen: set[Place] = set()
    for found in random_evaluations(context):
        if found.place not in seen:
            seen.add(found.place)
            yield Finding(
                Severity.WARNING,
                "this transform draws at random, and the data is only evaluated: every pass sees "
                "other samples, and the metric differs from pass to pass; give it a transform "
                "without augmentation",
                found.place,
                (
                    Related(found.drawing, "this draws at random for each sample"),
                    Related(found.loader.place, "this loader is only evaluated"),
                ),
            )
