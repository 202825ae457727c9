"""broken-dataset-protocol: no index, no length, or samples that torch cannot collate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.dataset_contracts import Contract, emptied_batches, is_given_abstract
from dlint.model.data.dataset_lengths import lengths_of_streams, written_lengths
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.endless_datasets import endless_loops
from dlint.model.data.missing_attributes import missing_attributes
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.index_order import makes_sampler
from dlint.model.samples.collation import collates_by_default

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Map-style dataset classes whose first batch, or whose loader, raises."""
    reported: set[Place] = set()
    for dataset in context[dataset_classes]:
        contract = Contract(dataset)
        if not contract.loaders or contract.is_iterable:
            continue
        for finding in (*_of(contract), *_written(contract)):
            if finding.place not in reported:
                reported.add(finding.place)
                yield finding
    yield from _endless(context)
    yield from _streams(context)
    yield from _attributes(context)
    yield from _abstract(context)


def _written(contract: Contract) -> Iterator[Finding]:
    """A number for the length of a list."""
    for found in written_lengths(contract.dataset):
        less = found.held is not None and found.held < found.number
        more = found.held is not None and found.held > found.number
        if more:
            continue
        held = f"which holds {found.held}" if less else "however many that holds"
        yield Finding(
            Severity.ERROR if less else Severity.INFO,
            f"`{contract.name}` has {found.number:,} samples by this number, and takes them "
            f"out of `self.{found.attribute}`, {held}: an index beyond it raises IndexError; "
            f"return `len(self.{found.attribute})`",
            found.place,
            _given(contract.loaders[0]),
        )
    yield from _emptied(contract)


def _emptied(contract: Contract) -> Iterator[Finding]:
    """Collate functions that drop samples, and may be left with none."""
    if not contract.empty_samples:
        return
    for loader in contract.loaders:
        for place in emptied_batches(loader):
            yield Finding(
                Severity.INFO,
                "where every sample of a batch is None, nothing is left here, and torch's default "
                "collate function raises IndexError for an empty list; return None then and pass "
                "over such batches, or have `__getitem__` return another sample",
                place,
                (Related(contract.empty_samples[0], "a sample may be None here"),),
            )


def _endless(context: AnalysisContext) -> Iterator[Finding]:
    """Loops over data sets that take any index."""
    for found in endless_loops(context):
        yield Finding(
            Severity.ERROR,
            f"this loop never ends: `{found.name}` has no `__iter__`, Python takes its samples "
            "by 0, 1, 2, … until IndexError is raised, whatever `__len__` says, and its "
            "`__getitem__` raises none; go through `range(len(…))`, or through a DataLoader",
            found.place,
            (Related(found.getter, "this takes any index"),),
        )


def _streams(context: AnalysisContext) -> Iterator[Finding]:
    """Lengths that are asked of streams."""
    for asked in lengths_of_streams(context):
        yield Finding(
            Severity.ERROR,
            f"`{asked.name}` is an iterable dataset without `__len__`, so this raises TypeError; "
            "define `__len__`, or do without the length",
            asked.place,
        )


def _of(contract: Contract) -> Iterator[Finding]:
    yield from _index(contract)
    yield from _length(contract)
    loader = next(filter(collates_by_default, contract.loaders), None)
    if loader is not None:
        yield from _samples(contract, loader)


def _index(contract: Contract) -> Iterator[Finding]:
    place = contract.getter_without_index
    if place is not None:
        message = (
            f"`{contract.name}.__getitem__` takes no index, so the first sample raises "
            "TypeError; give it one: `def __getitem__(self, index):`"
        )
        yield Finding(Severity.ERROR, message, place, _given(contract.loaders[0]))


def _length(contract: Contract) -> Iterator[Finding]:
    loader = next(filter(makes_sampler, contract.loaders), None)
    if loader is not None and contract.lacks_length:
        message = (
            f"`{contract.name}` has no `__len__`, and the sampler of its DataLoader asks for "
            "it and raises TypeError; define `__len__`, or derive from `IterableDataset`"
        )
        yield Finding(Severity.ERROR, message, contract.place, _given(loader))


def _attributes(context: AnalysisContext) -> Iterator[Finding]:
    """Reads of what no object has; a warning where no loader is known to ask for the samples."""
    used = {dataset.cls: Contract(dataset).loaders for dataset in context[dataset_classes]}
    for missing in missing_attributes(context):
        loader = next(iter(used.get(missing.cls, ())), None)
        meant = f"read `self.{missing.meant}`" if missing.meant else "set it in `__init__`"
        yield Finding(
            Severity.WARNING if loader is None else Severity.ERROR,
            f"no `{missing.cls.name}` has an attribute `{missing.name}`, as nothing sets it, so "
            f"`{missing.method}` raises AttributeError; {meant}",
            missing.place,
            () if loader is None else _given(loader),
        )


def _abstract(context: AnalysisContext) -> Iterator[Finding]:
    """Objects of torch's own base class; a warning, as a template may leave it to be filled in."""
    for group in context[Loaders].told():
        if all(is_given_abstract(loader) for loader in group):
            yield Finding(
                Severity.WARNING,
                "this DataLoader is given an object of torch's abstract `Dataset`, which has no "
                "`__len__`, and whose `__getitem__` raises NotImplementedError; give it one of a "
                "class that defines both",
                group[0].place,
            )


def _samples(contract: Contract, loader: Loader) -> Iterator[Finding]:
    name = contract.name
    for place in contract.empty_samples[:1]:
        message = (
            f"`{name}.__getitem__` gives None here, and torch's default collate function raises "
            "on a batch with None; return another sample, or drop None in a `collate_fn`"
        )
        yield Finding(Severity.ERROR, message, place, _collated(loader))
    for place in contract.images[:1]:
        message = (
            f"`{name}.__getitem__` returns a PIL image, and torch's default collate function "
            "raises TypeError on it; make it a tensor, such as with "
            "`torchvision.transforms.functional.to_tensor`"
        )
        yield Finding(Severity.ERROR, message, place, _collated(loader))


def _given(loader: Loader) -> tuple[Related, ...]:
    return (Related(loader.place, "this loader takes its samples"),)


def _collated(loader: Loader) -> tuple[Related, ...]:
    return (Related(loader.place, "this loader takes its samples and has no `collate_fn`"),)
