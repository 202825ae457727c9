"""Whether two runs computed the same, and which faults of a run another does not have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from dlint.verify.measure.record import LoaderRecord, Record
from dlint.verify.run.runner import Run

_TOLERANCE = 1e-3
"""How far losses may lie apart, as a share, that differ by how numbers are rounded only."""
_ROUNDINGS = 8
"""And by how many times what the numbers themselves lie apart, where those are coarse."""
_FEW = 20
"""Losses of which that is asked: such differences grow from step to step."""
_LOSSES = "the losses differ"


class Kind(StrEnum):
    """How the results of two runs compare."""

    IDENTICAL = "identical"
    STREAM = "same samples, different random stream"
    REORDERED = "same samples in another order"
    CHANGED = "changes results"
    UNKNOWN = "not comparable"


class Equivalence(NamedTuple):
    """How they compare, and why that is said."""

    kind: Kind
    why: str = ""


def compare(
    before: Run,
    again: Run,
    after: Run,
    aligned: Callable[[], tuple[Run, Run]],
    free: bool = False,
) -> Equivalence:
    """Compare a variant's run with two of the baseline; all with the same seed.

    `aligned` makes a run of each in which the random draws do not depend on the workers. `free`:
    whether the change may be any, also one of what the model draws.
    """
    first = difference(before, again)
    if first:
        return Equivalence(Kind.UNKNOWN, f"two runs of the script as it is differ: {first}")
    found = difference(before, after)
    if found is None:
        return Equivalence(Kind.IDENTICAL)
    left, right = aligned()
    if left.failed or right.failed:
        return Equivalence(Kind.UNKNOWN, found)
    rest = difference(left, right)
    if rest is None:
        return Equivalence(Kind.STREAM, found)
    if rest == _LOSSES:
        return _by_losses(left, right, free)
    return _by_samples(left, right, rest)


def _by_losses(left: Run, right: Run, free: bool) -> Equivalence:
    """Compare what was made of the same batches in the same order. Kernels of a device may round in
    another way each time, which grows from step to step."""
    rows = list(zip(left.records, right.records, strict=False))
    why = f"{_LOSSES}, though the batches are the same"
    if any(_drawn_apart(one, two) for one, two in rows):
        kind = Kind.UNKNOWN if free else Kind.STREAM
        return Equivalence(kind, f"{why}: the model draws other random numbers")
    rounded = all(one.on_device or _near(one, two) for one, two in rows)
    return Equivalence(Kind.UNKNOWN if rounded else Kind.CHANGED, why)


def _drawn_apart(one: Record, two: Record) -> bool:
    """Whether the random streams are apart where the losses first are."""
    rows = zip(one.losses, two.losses, one.streams, two.streams, strict=False)
    return next((x != y for a, b, x, y in rows if not _same_loss(a, b, 0.0)), False)


def _by_samples(left: Run, right: Run, found: str) -> Equivalence:
    """Compare what whole epochs held, whatever the order."""
    same = compared = False
    for one, two in _trainings(left, right):
        pairs = zip(one.epochs, two.epochs, one.samples, two.samples, strict=False)
        for first, second, samples, others in pairs:
            if first.end is None or second.end is None or not samples:
                continue
            compared = True
            if Counter(samples) != Counter(others):
                return Equivalence(Kind.CHANGED, _multiset(samples, others))
            same = True
    if same:
        return Equivalence(Kind.REORDERED, found)
    shapes = _first_hashes_differ(left, right)
    if shapes:
        return Equivalence(Kind.CHANGED, "the batches of the same indices differ")
    why = found if compared else f"{found}; no whole epoch was seen"
    return Equivalence(Kind.UNKNOWN, why)


def _multiset(samples: tuple[str, ...], others: tuple[str, ...]) -> str:
    if len(samples) != len(others):
        return f"an epoch has {len(others)} samples instead of {len(samples)}"
    return f"{len(set(others) - set(samples))} of {len(others)} samples of an epoch are others"


def _first_hashes_differ(left: Run, right: Run) -> bool:
    """Whether a batch of the same indices holds something else."""
    for one, two in _trainings(left, right):
        for order, other, hashes, others in zip(
            one.order, two.order, one.hashes, two.hashes, strict=False
        ):
            rows = zip(order, other, hashes, others, strict=False)
            if any(i == j and i is not None and h != g for i, j, h, g in rows):
                return True
    return False


def difference(left: Run, right: Run) -> str | None:
    """The first thing in which two runs differ, as far as both went; None when they are equal."""
    pairs = _trainings(left, right)
    if not pairs:
        return "nothing to compare was recorded"
    for one, two in pairs:
        found = _loaders_differ(one, two)
        if found:
            return found
    for record, other in zip(left.records, right.records, strict=False):
        if not _same_losses(record, other):
            return _LOSSES
    return None


def _trainings(left: Run, right: Run) -> list[tuple[LoaderRecord, LoaderRecord]]:
    by_rank = {r.rank: r.training for r in right.records if r.training is not None}
    return [
        (r.training, by_rank[r.rank])
        for r in left.records
        if r.training is not None and r.rank in by_rank
    ]


def _loaders_differ(one: LoaderRecord, two: LoaderRecord) -> str | None:
    for epoch, (hashes, others) in enumerate(zip(one.hashes, two.hashes, strict=False)):
        common = min(len(hashes), len(others))
        orders = one.order[epoch][:common], two.order[epoch][:common]
        if orders[0] != orders[1]:
            return f"epoch {epoch + 1} has another order"
        if hashes[:common] != others[:common]:
            return f"the batches of epoch {epoch + 1} differ"
        ended = epoch + 1 < min(len(one.hashes), len(two.hashes))
        if ended and len(hashes) != len(others):
            return f"epoch {epoch + 1} has {len(others)} batches instead of {len(hashes)}"
    return None


def _same_losses(one: Record, two: Record) -> bool:
    if one.on_device or two.on_device:
        return _near(one, two)
    return all(_same_loss(a, b, 0.0) for a, b in zip(one.losses, two.losses, strict=False))


def _same_loss(one: float, two: float, tolerance: float) -> bool:
    return math.isclose(one, two, rel_tol=tolerance) or (math.isnan(one) and math.isnan(two))


def _near(one: Record, two: Record) -> bool:
    tolerance = max(_TOLERANCE, _ROUNDINGS * max(one.precision, two.precision))
    pairs = list(zip(one.losses, two.losses, strict=False))[:_FEW]
    return all(_same_loss(a, b, tolerance) for a, b in pairs)


class Faults(NamedTuple):
    """What is wrong in a run; None where that could not be seen."""

    repeated_order: bool | None
    """Every epoch has the order of the first."""
    shared_samples: int | None
    """Samples of the first epoch that came more than once, over all ranks."""
    ignored_strategy: int | None
    """Workers that have another sharing strategy than the program asked for."""
    single_epoch: bool = False
    """The program came to its end after one epoch: there is no order that could come again."""


def faults(run: Run) -> Faults:
    """The faults that a run of looking shows."""
    loaders = [r.training for r in run.records if r.training is not None]
    return Faults(_repeats(loaders), _shared(loaders), _ignored(run), _ends_with_one(run))


def _ends_with_one(run: Run) -> bool:
    """Whether the program came to its own end after one epoch."""
    found = {(r.why, len(r.training.passes)) for r in run.records if r.training is not None}
    return found == {("exit", 1)}


def _repeats(loaders: list[LoaderRecord]) -> bool | None:
    found: list[bool] = []
    for loader in loaders:
        orders: list[tuple[Any, ...]] = [loader.order[n] for n in loader.passes]
        by_epoch = [order for order in orders if order and order[0] is not None]
        if len(by_epoch) < 2:
            return None
        common = min(map(len, by_epoch[:-1]), default=0) if len(by_epoch) > 2 else 0
        common = common or min(map(len, by_epoch))
        heads = [order[:common] for order in by_epoch if len(order) >= common]
        found.append(all(head == heads[0] for head in heads))
    return all(found) if found else None


def _shared(loaders: list[LoaderRecord]) -> int | None:
    counts: Counter[str] = Counter()
    for loader in loaders:
        for number in loader.passes[:1]:
            counts.update(loader.samples[number])
    if not counts:
        return None
    return sum(counts.values()) - len(counts)


def _ignored(run: Run) -> int | None:
    asked = {r.requested_strategy for r in run.records} - {None}
    if not asked or not run.strategies:
        return None
    return sum(strategy not in asked for strategy in run.strategies)


def fixed_fault(before: Faults, after: Faults) -> str | None:
    """The fault that is gone, in words; None when there is none."""
    if before.repeated_order and after.repeated_order is False:
        return "the order now differs from epoch to epoch"
    if before.ignored_strategy and after.ignored_strategy == 0:
        return "the sharing strategy is in force in every worker"
    if before.shared_samples and after.shared_samples is not None:
        if after.shared_samples == 0:
            return "no sample comes twice in an epoch"
        if after.shared_samples < before.shared_samples / 2:
            gone = before.shared_samples - after.shared_samples
            return f"{gone} of {before.shared_samples} repeated samples of an epoch are gone"
    return None
