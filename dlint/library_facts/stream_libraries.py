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

NODE_SPLITTER, RESAMPLED = "nodesplitter", "resampled"
"""Arguments of a WebDataset by which each rank takes shards of its own, or any."""

PIPELINE = frozenset({"webdataset.DataPipeline", "webdataset.pipeline.DataPipeline"})
"""Stages one after the other, of which none is added by itself."""

SHARD_LISTS = frozenset({"webdataset.SimpleShardList", "webdataset.shardlists.SimpleShardList"})
"""Stages that yield every shard on every rank."""

WEB = "webdataset."
"""How the paths of webdataset's stages begin."""

BY_NODE = "split_by_node"
"""The stage that gives each rank shards of its own."""

MEASURING = frozenset({"with_epoch", "with_length", "batched", "shuffle", "repeat"})
"""Methods that say how much is taken at once, or in an epoch, and never which of it."""

CUTTING = frozenset({"slice", "select", "pipelinefilter", "MultiShardSample", "ResampledShards"})
"""Stages that may do it too."""
