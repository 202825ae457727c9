"""eval-sample-count: sums that are divided by another number of samples than was counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.model.samplers import distributed_samplers
from dlint.rules.sampling.eval_sample_count.counting import Part, divisions, padded

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loops import BatchLoop
    from dlint.model.samplers import Sampler
    from dlint.rules.sampling.eval_sample_count.counting import Division


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Divisions by the size of the dataset, and sums over ranks that count samples twice."""
    for division in divisions(context):
        yield _division(context, division)
    by_call: dict[ex.Call, list[Sampler]] = {}
    for sampler in context[distributed_samplers]:
        by_call.setdefault(sampler.made.call, []).append(sampler)
    for samplers in by_call.values():
        loops = [padded(sampler) for sampler in samplers if sampler.is_run]
        if loops and loops[0] is not None and all(loops):
            yield _padded(context, samplers[0], loops[0])


def _division(context: AnalysisContext, division: Division) -> Finding:
    conditional = any(a.truth is False for a in division.loader.argument("sampler"))
    where = "in a distributed run " if conditional and division.part is Part.RANK else ""
    return Finding(
        Severity.INFO if division.part is Part.TAIL else Severity.WARNING,
        f"the sum is over fewer samples than `dataset` has, since {where}{division.part}: the "
        "average comes out too small; divide by the number of samples that were counted",
        context.place_of(division.call),
        (
            Related(division.loader.place, "the loader reads a part here"),
            Related(division.loop.place, "the samples are summed here"),
        ),
        _fix(division),
    )


def _fix(division: Division) -> Fix | None:
    """Divide by the number of indices that the sampler draws."""
    name = ex.dotted(division.length.value)
    if name is None or division.part is Part.TAIL:
        return None
    path = division.call.scope.module.path
    operation = ReplaceExpression(Place(path, *division.length.span), f"{name}.sampler")
    return Fix(Applicability.UNSAFE, "Divide by the sampler's length", (operation,))


def _padded(context: AnalysisContext, sampler: Sampler, loop: BatchLoop) -> Finding:
    return Finding(
        Severity.INFO,
        "a `DistributedSampler` repeats samples until every rank has as many, so sums over all "
        "ranks count some twice unless the number of ranks divides the dataset; gather the "
        "results and cut them to `len(dataset)`, or evaluate the rest apart",
        sampler.place,
        (Related(loop.place, "the samples are evaluated here"),),
    )
