"""What the stream datasets of other libraries need (datasets 3 and 4, webdataset 0.2 and 1.0)."""

from __future__ import annotations

HF_LOADERS = frozenset({"datasets.load_dataset", "datasets.load.load_dataset"})
"""Calls that give a stream where `streaming=True`."""

HF_STREAMS = frozenset(
    {
        "datasets.IterableDataset.from_generator",
        "datasets.iterable_dataset.IterableDataset.from_generator",
    }
)
"""Calls that always give a stream."""

WEBDATASET = frozenset({"webdataset.WebDataset", "webdataset.compat.WebDataset"})

SPLITTING = frozenset({"nodesplitter", "resampled", "pipeline"})
"""Arguments of a WebDataset by which each rank takes shards of its own, or any."""
