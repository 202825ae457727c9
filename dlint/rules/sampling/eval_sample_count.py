"""eval-sample-count: sums that are divided by another number of samples than was counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_to
from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import samplers as knowledge
from dlint.library_facts.gathering import FOR_METRICS
from dlint.model.epochs import is_evaluation
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.samplers import distributed_samplers
from dlint.rules.sampling._full_batches import FullBatches, full_batches, sums
from dlint.rules.sampling._gathering import Gathering, gatherings, is_method_of
from dlint.rules.sampling._mismatches import sampler_path
from dlint.semantics.values import constant_folding
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, TRUE, AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop
    from dlint.model.samplers import Sampler


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Divisions by the size of the dataset, and sums over ranks that count samples twice."""
    for gathering in gatherings(context):
        yield _gathered(context, gathering)
    for division in divisions(context):
        yield _division(context, division)
    for counted in full_batches(context):
        yield _full(context, counted)
    by_call: dict[ex.Call, list[Sampler]] = {}
    for sampler in context[distributed_samplers]:
        by_call.setdefault(sampler.made.call, []).append(sampler)
    for samplers in by_call.values():
        loops = [padded(sampler) for sampler in samplers if sampler.is_run]
        if loops and loops[0] is not None and all(loops):
            yield _padded(context, samplers[0], loops[0])


def _gathered(context: AnalysisContext, gathering: Gathering) -> Finding:
    return Finding(
        Severity.WARNING,
        "the samples that Accelerate repeats to give all processes as many are gathered too, so "
        "they count twice; `gather_for_metrics` leaves them out",
        context.place_of(gathering.call),
        (
            Related(gathering.loop.place, "the samples are evaluated here"),
            Related(gathering.loader.place, "the loader is made here"),
        ),
        _for_metrics(gathering),
    )


def _for_metrics(gathering: Gathering) -> Fix | None:
    """All calls of the loop by the method for metrics; None where one is no method."""
    operations: list[ReplaceExpression] = []
    for call in gathering.beside:
        callee = call.function
        owner = ex.dotted(callee.value) if isinstance(callee, ex.Attribute) else None
        if owner is None or not is_method_of(gathering.loader.context, call):
            return None
        place = Place(call.scope.module.path, *callee.span)
        operations.append(ReplaceExpression(place, f"{owner}.{FOR_METRICS}"))
    return Fix(Applicability.UNSAFE, f"Gather by `{FOR_METRICS}`", tuple(operations))


def _full(context: AnalysisContext, counted: FullBatches) -> Finding:
    return Finding(
        Severity.INFO,
        "the last batch has fewer samples unless the batch size divides the dataset, so this "
        "counts more than there are and the average comes out too small; divide by "
        "`len(loader.dataset)`",
        context.place_of(counted.length),
        (
            Related(counted.loader.place, "the loader is made here"),
            Related(counted.loop.place, "the samples are counted here"),
        ),
    )


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


_COMBINING = lazily(r"reduce|gather|synchroni[sz]e|world_size", re.I)
"""Calls and names by which ranks put their sums together."""

_REDUCING = lazily(r"^all_?reduce|^reduce_|_reduce(_|$)|synchroni[sz]e_between", re.I)
"""Calls by which ranks add what each of them has counted."""


class Part(StrEnum):
    """Why a pass reads other samples than the dataset has."""

    RANK = "each rank reads its own part of the dataset"
    SUBSET = "the sampler draws a part of the dataset"
    TAIL = "`drop_last` leaves the last batch out"


class Division(NamedTuple):
    """`total / len(loader.dataset)` behind a loop that has summed over the loader's batches."""

    length: ex.Attribute
    """`loader.dataset`."""
    call: ex.Call
    loader: Loader
    loop: BatchLoop
    part: Part


def divisions(context: AnalysisContext) -> Iterator[Division]:
    """Sums over the samples of a part, divided by the size of the whole dataset."""
    for call in calls_to(context, "builtins.len"):
        whole = written(call, 0)
        if isinstance(whole, ex.Attribute) and whole.name == "dataset":
            yield from _division_by(context, call, whole)


def _division_by(
    context: AnalysisContext, call: ex.Call, whole: ex.Attribute
) -> Iterator[Division]:
    total = _dividend(call)
    if total is None:
        return
    loaders = context[Loaders].denoted(whole.value, call.scope)
    parts = {_part(loader) for loader in loaders}
    part = parts.pop() if len(parts) == 1 else None
    if part is None or (part is Part.RANK and _combines(call.scope)):
        return
    for loader in loaders[:1]:
        loop = next((x for x in loader.loops if any(True for _ in sums(x, call, total))), None)
        if loop is not None and not context[Consumption].of(loader.made):
            yield Division(whole, call, loader, loop, part)


def _dividend(call: ex.Call) -> ex.Expression | None:
    """What a length divides, in the statement that asks for it."""
    for expression in walk.expressions(call.statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Binary) and part.operator == "/" and part.right is call:
                return part.left
    return None


def _combines(scope: Scope) -> bool:
    """Whether a function asks other ranks for their sums, or how many they are."""
    return any(_COMBINING.search(call.name or "") for call in scope.calls) or any(
        isinstance(part, ex.Reference | ex.Attribute) and _COMBINING.search(part.name)
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )


def _part(loader: Loader) -> Part | None:
    """Which part of its dataset a loader reads for certain, where that is not all of it."""
    given = loader.argument("sampler")
    if all(a.value in (ABSENT, NONE) for a in given):
        batched = any(a.value not in (ABSENT, NONE) for a in loader.argument("batch_sampler"))
        dropping = all(a.value == TRUE for a in loader.argument("drop_last"))
        return Part.TAIL if dropping and not batched else None
    paths = {"" if a.value in (ABSENT, NONE) else _path(a.value) for a in given}
    if paths <= knowledge.SUBSETS.keys():
        return Part.SUBSET
    return Part.RANK if paths <= {*knowledge.DISTRIBUTED, ""} and _is_certain(loader) else None


def _path(value: object) -> str:
    return sampler_path(value) if isinstance(value, AllocationSite) else "unknown"


def _is_certain(loader: Loader) -> bool:
    return all(
        constant_folding.is_object(a.value) or a.value in (ABSENT, NONE)
        for a in loader.argument("sampler")
    )


def padded(sampler: Sampler) -> BatchLoop | None:
    """A loop that only evaluates, over a sampler that repeats samples, and adds up over ranks."""
    dropping = (a for a in sampler.argument("drop_last") if a.value != ABSENT)
    if sampler.has_own_order or any(a.truth is not False for a in dropping):
        return None
    loops = [(loader, loop) for loader in sampler.loaders for loop in loader.loops]
    if not loops or not all(is_evaluation(loop) for _, loop in loops):
        return None
    for loader, loop in loops:
        framed = sampler.context[Consumption].of(loader.made)
        if not framed and any(_REDUCING.search(call.name or "") for call in loop.scope.calls):
            return loop
    return None
