"""mismatched-sampler: samplers that draw indices which are not the loader's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.ir import expressions as ex
from dlint.model.loaders import Loaders
from dlint.rules.sampling import _mismatches
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_OFF = (ABSENT, NONE, FALSE)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders whose sampler is another dataset's, or of the wrong kind; weights by class."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            finding = _of_loader(loader) if loader.is_made else None
            if finding is not None:
                yield finding
                break
    for call in _mismatches.class_weights(context):
        yield _weights(context, call)


def _of_loader(loader: Loader) -> Finding | None:
    return _nested(loader) or _flat(loader) or _foreign(loader) or _subset(loader)


def _nested(loader: Loader) -> Finding | None:
    """`sampler=BatchSampler(…)`: batches of batches."""
    if not _mismatches.is_batching(loader):
        return None
    sizes = _mismatches.batch_sizes(loader)
    if not all(isinstance(s, Literal) and isinstance(s.value, int) for s in sizes):
        return None
    single = sizes == {Literal.of(1)}
    if single and any(a.value not in (ABSENT, NONE) for a in loader.argument("collate_fn")):
        return None
    effect = (
        "batches get a further dimension of 1; pass it as `batch_sampler=`, or `batch_size=None`"
        if single
        else "each item of a batch is a batch itself; pass it as `batch_sampler=` and leave "
        "`batch_size` out"
    )
    return Finding(
        Severity.INFO if single else Severity.ERROR,
        f"a `BatchSampler` given as `sampler` makes every index a list, so {effect}",
        loader.place,
        (),
        _renamed(loader, "sampler", "batch_sampler"),
    )


def _flat(loader: Loader) -> Finding | None:
    """`batch_sampler=RandomSampler(…)`: one index where a list is expected."""
    if not _mismatches.is_not_batching(loader):
        return None
    return Finding(
        Severity.ERROR,
        "this `batch_sampler` yields one index at a time where DataLoader expects a list of them: "
        "it raises a TypeError at the first batch; pass it as `sampler=` with a `batch_size`, or "
        "wrap it in `BatchSampler`",
        loader.place,
    )


def _foreign(loader: Loader) -> Finding | None:
    found = _mismatches.foreign(loader)
    if found is None:
        return None
    return Finding(
        Severity.ERROR,
        f"the sampler draws indices of `{found.other}` and the loader reads `{found.own}`: samples "
        "are left out, or an index is out of range; make the sampler of the loader's dataset",
        loader.place,
        (Related(loader.context.place_of(found.sampler.call), "the sampler is made here"),),
    )


def _subset(loader: Loader) -> Finding | None:
    if not _mismatches.subset_of_subset(loader):
        return None
    return Finding(
        Severity.ERROR,
        "the dataset is a `Subset` by these indices already, and `SubsetRandomSampler` uses them "
        "again to index the subset: other samples are drawn, or an index is out of range; pass "
        "`shuffle=True` in place of the sampler",
        loader.place,
    )


def _weights(context: AnalysisContext, call: ex.Call) -> Finding:
    return Finding(
        Severity.ERROR,
        "`WeightedRandomSampler` takes one weight for each sample, and gets one for each class: it "
        "draws only as many samples as there are classes, the first ones; look the weight of "
        "each sample up by its label",
        context.place_of(call),
    )


def _renamed(loader: Loader, old: str, new: str) -> Fix | None:
    """Pass the sampler under its right name, without what torch refuses beside it."""
    name = ex.dotted(loader.written(old))
    others = (a for x in ("shuffle", "drop_last") for a in loader.argument(x))
    if name is None or any(a.value not in _OFF for a in others):
        return None
    position = loader.position("batch_size")
    operations = (
        RemoveArgument(loader.place, old),
        RemoveArgument(loader.place, "batch_size", position, "1"),
        SetArgument(loader.place, new, name),
    )
    return Fix(Applicability.UNSAFE, f"Pass it as `{new}`", operations)
