"""broken-getitems: a `__getitem__` that is skipped, or batches taken for samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.dataset_contracts import Contract, own_subsets
from dlint.model.data.datasets import dataset_classes
from dlint.model.samples.collation import collates_by_default
from dlint.model.versions.admitted import Versions

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_ADVICE = "add `def __getitems__(self, indices): return [self[i] for i in indices]`"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Subclasses of `Subset` without `__getitems__`, and `__getitems__` that give one batch."""
    for subset in own_subsets(context):
        raises = context[Versions].torch(subset.path).always("subset-with-own-getitem-raises")
        message = _skipped(subset.name, raises=raises)
        yield Finding(Severity.ERROR, message, subset.getter, needs=("subset-has-getitems",))
    for dataset in context[dataset_classes]:
        contract = Contract(dataset)
        loader = next(filter(collates_by_default, contract.loaders), None)
        if loader is not None and not contract.is_iterable:
            related = (Related(loader.place, "this loader takes its batches"),)
            for place in contract.whole_batches[:1]:
                yield Finding(Severity.ERROR, _batched(contract.name), place, related)


def _skipped(own: str, *, raises: bool) -> str:
    name = f"`{own}`"
    if raises:
        return (
            f"{name} overrides `__getitem__` of `Subset` without `__getitems__`, so its "
            f"constructor raises NotImplementedError (torch 2.11 and later); {_ADVICE}"
        )
    return (
        f"{name} overrides `__getitem__` of `Subset` without `__getitems__`: a DataLoader calls "
        "the inherited `__getitems__`, which skips this method (torch 2.1 to 2.10), and the "
        f"constructor raises NotImplementedError from torch 2.11 on; {_ADVICE}"
    )


def _batched(name: str) -> str:
    return (
        f"`{name}.__getitems__` returns one batch, but torch's default collate function "
        "takes each part of it for a sample, and stacks them; return a list of samples, or pass "
        "a `collate_fn` that leaves the batch as it is"
    )
