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
    from dlint.model.samples.random_samples import RandomSamples


_EVALUATED = "and the data is only evaluated"
_CHANCE = "every pass sees other samples, and the metric differs from pass to pass"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Data sets with a random transform that only evaluations take samples of."""
    seen: set[Place] = set()
    for found in random_evaluations(context):
        if found.samples.place not in seen:
            seen.add(found.samples.place)
            yield _finding(found)


def _finding(found: RandomEvaluation) -> Finding:
    samples = found.samples
    drawn = Related(samples.drawing, "this draws at random for each sample")
    evaluated = Related(found.loader.place, "this loader is only evaluated")
    beside = [] if samples.place == samples.drawing else [drawn]
    if samples.applied is not None and samples.applied != samples.drawing:
        beside.append(Related(samples.applied, "a sample is taken through it here"))
    what, advice = _words(samples)
    return Finding(
        Severity.INFO if samples.is_task or samples.by_size else Severity.WARNING,
        f"{what}, {_EVALUATED}: {_CHANCE}; {advice}",
        samples.place,
        (*beside, evaluated),
    )


def _words(samples: RandomSamples) -> tuple[str, str]:
    """What is said of a data set, and what to do."""
    if samples.is_task:
        return (
            "this draws at random how a sample is distorted",
            "seed what it draws by the index where it evaluates",
        )
    if samples.switches:
        named = " and ".join(f"`{name}`" for name in samples.switches)
        return (
            f"this data set draws at random how it changes each sample, as its {named} says",
            "make it without augmentation",
        )
    if samples.by_size:
        return (
            "this draws at random how a sample is changed where its size asks for it",
            "draw only where it trains",
        )
    if samples.is_own:
        return "this draws at random how a sample is changed", "draw only where it trains"
    return "this transform draws at random", "give it a transform without augmentation"
