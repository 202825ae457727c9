"""random-transform-in-eval: random augmentation of data that is only evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.samples.random_evaluations import RandomEvaluation, random_evaluations

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


_TRANSFORM = "this transform draws at random"
_ADVICE = "give it a transform without augmentation"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Data sets with a random transform that only evaluations take samples of."""
    seen: set[Place] = set()
    for found in random_evaluations(context):
        if found.place not in seen:
            seen.add(found.place)
            yield _finding(found)


def _finding(found: RandomEvaluation) -> Finding:
    what = "this draws at random how a sample is changed" if found.is_own else _TRANSFORM
    advice = "draw only where it trains" if found.is_own else _ADVICE
    drawn = Related(found.drawing, "this draws at random for each sample")
    evaluated = Related(found.loader.place, "this loader is only evaluated")
    return Finding(
        Severity.WARNING,
        f"{what}, and the data is only evaluated: every pass sees other samples, and the metric "
        f"differs from pass to pass; {advice}",
        found.place,
        (evaluated,) if found.is_own else (drawn, evaluated),
    )
