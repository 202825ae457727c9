"""mismatched-sampler: samplers that draw indices which are not the loader's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument, SetArgument
from dlint.model.data.index_types import refuses_lists
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers import mismatched_samplers
from dlint.model.samplers.batched_indices import loses_dimension
from dlint.model.samplers.index_samplers import own_lookups
from dlint.model.samplers.misfit_weights import misfits

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.samplers.misfit_weights import Misfit

_BY_CLASS = (
    "`WeightedRandomSampler` takes one weight for each sample, and gets one for each class: it "
    "draws indices below the number of classes only, the first samples of the data set; look the "
    "weight of each sample up by its label"
)

_IN_TWO = (
    "this loader and another one draw the same samples, by one sampler, and the sampler that was "
    "made beside it is never used: it reads the other's data; pass the one that is left"
)
_IN_ROUNDS = (
    "this call makes the loader that trains and the one that evaluates with one sampler, and the "
    "sampler that was made beside it is never used: the evaluation draws what is trained on; pass "
    "each loader its own"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders whose sampler is another dataset's, or of the wrong kind; weights by class."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            finding = _of_loader(loader) if loader.is_made else None
            if finding is not None:
                yield finding
                break
    for misfit in misfits(context):
        yield _weights(misfit)


def _of_loader(loader: Loader) -> Finding | None:
    return (
        _nested(loader)
        or _flat(loader)
        or _foreign(loader)
        or _subset(loader)
        or _borrowed(loader)
        or _looked_up(loader)
    )


def _nested(loader: Loader) -> Finding | None:
    """`sampler=BatchSampler(…)`: batches of batches."""
    if not mismatched_samplers.is_batching(loader):
        return None
    sizes = {1 if a.is_absent else a.integer for a in loader.argument("batch_size")}
    if None in sizes:
        return None
    single = sizes == {1}
    if single and loader.gives("collate_fn") and not refuses_lists(loader):
        return None
    severity = _severity(loader) if single else Severity.ERROR
    if severity is None:
        return None
    return Finding(
        severity,
        f"a `{_batching_class(loader)}` given as `sampler` makes every index a list, so "
        f"{_effect(loader, single=single)}",
        loader.place,
        (),
        _renamed(loader, "sampler", "batch_sampler"),
        loader.argument_place("sampler"),
    )


def _batching_class(loader: Loader) -> str:
    own = mismatched_samplers.own_batching(loader)
    return "BatchSampler" if own is None else own.name


def _effect(loader: Loader, *, single: bool) -> str:
    if refuses_lists(loader):
        return "this data set raises at the first batch; pass it as `batch_sampler=`"
    if single:
        return (
            "batches get a further dimension of 1; pass it as `batch_sampler=`, or with "
            "`batch_size=None`"
        )
    return "each item of a batch is a batch itself; pass it as `batch_sampler=`, no `batch_size`"


def _severity(loader: Loader) -> Severity | None:
    """Of batches with a dimension too many; None where the loop takes it away again."""
    if refuses_lists(loader):
        return Severity.ERROR
    if any(map(loses_dimension, loader.loops)):
        return None
    return Severity.WARNING if any(loop.body for loop in loader.loops) else Severity.INFO


def _flat(loader: Loader) -> Finding | None:
    """`batch_sampler=RandomSampler(…)`: one index where a list is expected."""
    if not mismatched_samplers.is_not_batching(loader):
        return None
    return Finding(
        Severity.ERROR,
        "this `batch_sampler` yields one index at a time where DataLoader expects a list of them: "
        "it raises a TypeError at the first batch; pass it as `sampler=` with a `batch_size`, or "
        "wrap it in `BatchSampler`",
        loader.place,
        argument=loader.argument_place("batch_sampler"),
    )


def _foreign(loader: Loader) -> Finding | None:
    found = mismatched_samplers.foreign(loader)
    if found is None:
        return None
    return Finding(
        Severity.ERROR,
        f"the sampler draws indices of `{found.other}` and the loader reads `{found.own}`: samples "
        "are left out, or an index is out of range; make the sampler of the loader's dataset",
        loader.place,
        (Related(found.place, "the sampler is made here"),),
        argument=loader.argument_place("sampler", "batch_sampler"),
    )


def _subset(loader: Loader) -> Finding | None:
    if not mismatched_samplers.subset_of_subset(loader):
        return None
    return Finding(
        Severity.ERROR,
        "the dataset is a `Subset` by these indices already, and `SubsetRandomSampler` uses them "
        "again to index the subset: other samples are drawn, or an index is out of range; pass "
        "`shuffle=True` in place of the sampler",
        loader.place,
        argument=loader.argument_place("sampler"),
    )


def _borrowed(loader: Loader) -> Finding | None:
    """The sampler of another loader, where one that was made for this one is left over."""
    found = mismatched_samplers.borrowed(loader)
    if found is None:
        return None
    other, place = found.other, loader.place
    shared = None if other is None else other.place
    if found.by_maker is not None:
        place, shared = found.by_maker
    sharing = () if shared is None else (Related(shared, "this loader has the same sampler"),)
    return Finding(
        Severity.ERROR,
        _IN_ROUNDS if other is None else _IN_TWO,
        place,
        (*sharing, Related(found.unread, "this sampler is never used")),
        argument=loader.argument_place("sampler") if place == loader.place else None,
    )


def _looked_up(loader: Loader) -> Finding | None:
    """A sampler that takes its own indices for positions among them."""
    found = next(own_lookups(loader), None)
    if found is None:
        return None
    return Finding(
        Severity.ERROR if found.is_part else Severity.WARNING,
        f"`{found.cls.name}` gives `self.{found.attribute}[i]` for `i` in `self.{found.attribute}`"
        ": indices of indices, so other samples are drawn, or an index is out of range; give the "
        "indices themselves",
        found.place,
        (Related(loader.place, "this loader draws by it"),),
    )


def _weights(misfit: Misfit) -> Finding:
    place = misfit.place
    if misfit.loader is None:
        return Finding(Severity.ERROR, _BY_CLASS, place)
    if not misfit.samples:
        what = (
            "these weights have an entry for each sample of the whole data set, and the loader "
            "reads a part of it, whose samples are numbered from 0: other samples get the weights, "
            "or an index is out of range; compute them from the labels of the part"
        )
    else:
        what = (
            f"there are {misfit.weights} weights, and the loader's data set has {misfit.samples} "
            "samples: some are never drawn, or an index is out of range; give one weight for each "
            "sample"
        )
    related = (Related(misfit.loader.place, "the loader is made here"),)
    return Finding(Severity.ERROR, f"`WeightedRandomSampler`: {what}", place, related)


def _renamed(loader: Loader, old: str, new: str) -> Fix | None:
    """Pass the sampler under its right name, without what torch refuses beside it."""
    name = loader.name_given(old)
    others = (a for x in ("shuffle", "drop_last") for a in loader.argument(x))
    if name is None or not all(a.is_off for a in others):
        return None
    position = loader.position("batch_size")
    operations = (
        RemoveArgument(loader.place, old),
        RemoveArgument(loader.place, "batch_size", position, "1"),
        SetArgument(loader.place, new, name),
    )
    return Fix(Applicability.UNSAFE, f"Pass it as `{new}`", operations)
