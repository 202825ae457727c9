"""python-objects-in-dataset: records kept as Python objects, which workers come to copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.library_facts.start_methods import FRESH
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.kept_records import KeptRecords, given_loaders, kept_records
from dlint.model.workers.starting import start_methods_of
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Dataset classes that keep records of a file as Python objects, where workers take them."""
    found: set[Place] = set()
    for dataset in context[dataset_classes]:
        loader = next((x for x in given_loaders(dataset) if x.workers_present is not None), None)
        if loader is None or dataset.keeps_all_by_design:
            continue
        kept = next(kept_records(dataset), None)
        if kept is not None and kept.place not in found:
            found.add(kept.place)
            yield _finding(dataset, kept, loader)


def _finding(dataset: DatasetClass, kept: KeptRecords, loader: Loader) -> Finding:
    related = (Related(loader.place, "the workers of this loader take the records"),)
    message = _message(dataset, kept, loader)
    return Finding(Severity.INFO, message, kept.place, related)


def _message(dataset: DatasetClass, kept: KeptRecords, loader: Loader) -> str:
    methods = start_methods_of(dataset.context, loader)
    fresh = sorted(methods & FRESH)
    if methods <= FRESH:
        how = f"with {' or '.join(fresh)} each worker unpickles a copy of all of them"
    else:
        how = (
            "reading an object writes its reference count, so each forked worker comes to a copy "
            "of all that it touches"
        )
    assert loader.workers_present is not None
    return (
        f"`{kept.owner.name}` keeps {kept.records} as Python objects in `self.{kept.attribute}`: "
        f"{how} ({text_of(loader.workers_present)}); with a million records or more measure it, "
        "and keep them in fixed-width arrays, in packed bytes with offsets or in an Arrow table"
    )
