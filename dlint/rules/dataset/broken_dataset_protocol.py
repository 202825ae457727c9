"""broken-dataset-protocol: no index, no length, or samples that torch cannot collate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.model.datasets import dataset_classes
from dlint.rules.dataset._contracts import Contract, collates_by_default, samples_by_length

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Map-style dataset classes whose first batch, or whose loader, raises."""
    reported: set[Place] = set()
    for dataset in context[dataset_classes]:
        contract = Contract(context, dataset.cls, dataset.own_loaders)
        if not contract.loaders or contract.is_iterable:
            continue
        for finding in _of(contract):
            if finding.place not in reported:
                reported.add(finding.place)
                yield finding


def _of(contract: Contract) -> Iterator[Finding]:
    yield from _index(contract)
    yield from _length(contract)
    loader = next(filter(collates_by_default, contract.loaders), None)
    if loader is not None:
        yield from _samples(contract, loader)


def _index(contract: Contract) -> Iterator[Finding]:
    getter = contract.getter_without_index
    if getter is not None:
        message = (
            f"`{contract.cls.name}.__getitem__` takes no index, so the first sample raises "
            "TypeError; give it one: `def __getitem__(self, index):`"
        )
        place = Place(getter.module.path, *getter.span)
        yield Finding(Severity.ERROR, message, place, _given(contract.loaders[0]))


def _length(contract: Contract) -> Iterator[Finding]:
    loader = next(filter(samples_by_length, contract.loaders), None)
    if loader is not None and contract.lacks_length:
        message = (
            f"`{contract.cls.name}` has no `__len__`, and the sampler of its DataLoader asks for "
            "it and raises TypeError; define `__len__`, or derive from `IterableDataset`"
        )
        place = Place(contract.cls.body.module.path, *contract.cls.header)
        yield Finding(Severity.ERROR, message, place, _given(loader))


def _samples(contract: Contract, loader: Loader) -> Iterator[Finding]:
    name = contract.cls.name
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
