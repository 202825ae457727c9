"""eval-sample-count: sums that are divided by another number of samples than was counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.library_facts.gathering import FOR_METRICS
from dlint.model.loops.sample_averages import (
    Division,
    FullBatches,
    Part,
    divisions,
    full_batches,
    padded,
)
from dlint.model.ranks.gathering import Gathering, gatherings
from dlint.model.ranks.repeated_tests import RepeatedTest, repeated_tests
from dlint.model.samplers.distributed_samplers import distributed_samplers

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.samplers.distributed_samplers import Sampler

_WHY = {
    Part.RANK: "each rank reads its own part of the dataset",
    Part.SUBSET: "the sampler draws a part of the dataset",
    Part.TAIL: "`drop_last` leaves the last batch out",
    Part.START: "the loop is left after some batches",
}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Divisions by the size of the dataset, and sums over ranks that count samples twice."""
    for gathering in gatherings(context):
        yield _gathered(gathering)
    for division in divisions(context):
        yield _division(division)
    for counted in full_batches(context):
        yield _full(counted)
    by_call: dict[Place, list[Sampler]] = {}
    for sampler in context[distributed_samplers]:
        by_call.setdefault(sampler.place, []).append(sampler)
    for samplers in by_call.values():
        loops = [padded(sampler) for sampler in samplers if sampler.is_run]
        if loops and loops[0] is not None and all(loops):
            yield _padded(samplers[0], loops[0])
    tests = {test.launcher.handing: test for test in repeated_tests(context)}
    yield from map(_tested, tests.values())


def _gathered(gathering: Gathering) -> Finding:
    return Finding(
        Severity.WARNING,
        "the samples that Accelerate repeats to give all processes as many are gathered too, so "
        "they count twice; `gather_for_metrics` leaves them out",
        gathering.place,
        (
            Related(gathering.loop.place, "the samples are evaluated here"),
            Related(gathering.loader.place, "the loader is made here"),
        ),
        _for_metrics(gathering),
    )


def _for_metrics(gathering: Gathering) -> Fix | None:
    """All calls of the loop by the method for metrics; None where one is of no Accelerator."""
    operations = [
        ReplaceExpression(one.place, f"{one.owner}.{FOR_METRICS}")
        for one in gathering.beside
        if one is not None
    ]
    if len(operations) < len(gathering.beside):
        return None
    return Fix(Applicability.UNSAFE, f"Gather by `{FOR_METRICS}`", tuple(operations))


def _full(counted: FullBatches) -> Finding:
    return Finding(
        Severity.INFO,
        "the last batch has fewer samples unless the batch size divides the dataset, so this "
        "counts more than there are and the average comes out too small; divide by "
        "`len(loader.dataset)`",
        counted.place,
        (
            Related(counted.loader.place, "the loader is made here"),
            Related(counted.loop.place, "the samples are counted here"),
        ),
    )


def _division(division: Division) -> Finding:
    conditional = any(a.truth is False for a in division.loader.argument("sampler"))
    where = "in a distributed run " if conditional and division.part is Part.RANK else ""
    return Finding(
        Severity.INFO if division.part is Part.TAIL else Severity.WARNING,
        f"the sum is over fewer samples than `{division.text}` has, since "
        f"{where}{_WHY[division.part]}: the average comes out too small; "
        "divide by the number of samples that were counted",
        division.place,
        (
            Related(division.loader.place, "the loader reads a part here"),
            Related(division.loop.place, "the samples are summed here"),
        ),
        _fix(division),
    )


def _fix(division: Division) -> Fix | None:
    """Divide by the number of indices that the sampler draws."""
    if division.owner is None or division.part in (Part.TAIL, Part.START):
        return None
    operation = ReplaceExpression(division.dataset, f"{division.owner}.sampler")
    return Fix(Applicability.UNSAFE, "Divide by the sampler's length", (operation,))


def _padded(sampler: Sampler, loop: BatchLoop) -> Finding:
    return Finding(
        Severity.INFO,
        "a `DistributedSampler` repeats samples until every rank has as many, so sums over all "
        "ranks count some twice unless the number of ranks divides the dataset; gather the "
        "results and cut them to `len(dataset)`, or evaluate the rest apart",
        sampler.place,
        (Related(loop.place, "the samples are evaluated here"),),
    )


def _tested(test: RepeatedTest) -> Finding:
    context, launcher = test.loader.context, test.launcher
    return Finding(
        Severity.INFO,
        "several ranks test, and the `DistributedSampler` that Lightning adds repeats samples to "
        "give each rank as many: metrics count these twice unless the number of ranks divides the "
        "dataset; test with `devices=1, num_nodes=1`",
        context.place_of(launcher.handing),
        (
            Related(context.place_of(launcher.call), "the ranks are asked for here"),
            Related(test.loader.place, "the loader is made here"),
        ),
    )
