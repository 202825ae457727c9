"""seed-per-sample: `__getitem__` seeds with one number, so that all samples draw the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.seeding import LIBRARY
from dlint.model.samples.sample_seeds import SampleSeed, sample_seeds

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Seeds that are set alike for each sample, or in each epoch, in training."""
    seen: set[Place] = set()
    for seed in sample_seeds(context):
        if seed.place not in seen:
            seen.add(seed.place)
            yield _finding(seed)


def _finding(seed: SampleSeed) -> Finding:
    what = (
        "by the index alone, so each sample draws the same numbers in every epoch"
        if seed.is_by_index
        else "with the same number for each sample, so all samples of all epochs draw the same"
    )
    return Finding(
        Severity.INFO if seed.is_by_index else Severity.ERROR,
        f"this seeds {LIBRARY[seed.library]} {what}; leave the seed to torch, which gives each "
        "worker and each epoch its own, or put the index and the epoch into it",
        seed.place,
        (Related(seed.loader.place, "this loader is trained on"),),
    )
