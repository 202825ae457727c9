"""torch's DataLoader and its drop-ins: their paths and signatures (torch 2.13.0, dataloader.py)."""

from __future__ import annotations

POSITIONAL = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)
"""`DataLoader.__init__` takes these by position; the rest is keyword-only."""

KEYWORD_ONLY = ("prefetch_factor", "persistent_workers", "pin_memory_device", "in_order")

ARGUMENTS = (*POSITIONAL, *KEYWORD_ONLY)

OF_TORCH = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
"""torch's own DataLoader, which takes `ARGUMENTS` and nothing else (dataloader.py:255)."""

DEFAULTS: dict[str, int | bool] = {
    "batch_size": 1,
    "shuffle": False,
    "num_workers": 0,
    "pin_memory": False,
    "drop_last": False,
    "persistent_workers": False,
}
"""What torch takes for arguments that are not given, as far as rules ask for them."""

TENSOR_DATASETS = frozenset(
    {"torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset"}
)
"""Data sets of tensors that are in memory."""

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.utils.data.DataLoader": POSITIONAL,
    "torch.utils.data.dataloader.DataLoader": POSITIONAL,
    "torchdata.stateful_dataloader.StatefulDataLoader": POSITIONAL,
    "torchdata.stateful_dataloader.stateful_dataloader.StatefulDataLoader": POSITIONAL,
    "torch_geometric.loader.DataLoader": (
        "dataset",
        "batch_size",
        "shuffle",
        "follow_batch",
        "exclude_keys",
    ),
    "torch_geometric.data.DataLoader": (
        "dataset",
        "batch_size",
        "shuffle",
        "follow_batch",
        "exclude_keys",
    ),
    "torch_geometric.loader.dataloader.DataLoader": (
        "dataset",
        "batch_size",
        "shuffle",
        "follow_batch",
        "exclude_keys",
    ),
    "webdataset.WebLoader": POSITIONAL,
    "webdataset.compat.WebLoader": POSITIONAL,
    "monai.data.DataLoader": ("dataset", "num_workers"),
    "monai.data.dataloader.DataLoader": ("dataset", "num_workers"),
    "monai.data.ThreadDataLoader": ("dataset", "buffer_size", "buffer_timeout", "repeats"),
}
"""Callables that make a loader with DataLoader's keywords, and their positional parameters."""

THREADED = frozenset({"monai.data.ThreadDataLoader"})
"""Those that make batches ahead in a thread, which is why they are given no workers."""

ATTRIBUTES = frozenset({"dataset", "sampler", "batch_sampler", "collate_fn", "batch_size"})
"""Attributes of a loader that are the argument of the same name."""

CONSTRUCTED_WITH = (
    "batch_size",
    "batch_sampler",
    "sampler",
    "drop_last",
    "dataset",
    "persistent_workers",
)
"""Attributes that a loader refuses to have set (dataloader.py, `__setattr__`)."""

SETTABLE = frozenset({"collate_fn", "num_workers", "timeout", "worker_init_fn"})
"""Arguments that may be assigned to a loader afterwards, and hold from its next iterator on."""

OF_ITERATOR = frozenset(
    {
        "num_workers",
        "pin_memory",
        "timeout",
        "worker_init_fn",
        "multiprocessing_context",
        "prefetch_factor",
        "persistent_workers",
        "pin_memory_device",
        "in_order",
    }
)
"""Arguments that matter once torch's own iterator is begun (`_BaseDataLoaderIter`, its heirs)."""

BEGINNING_ITERATORS = frozenset(
    {
        "__iter__",
        "_get_iterator",
        "_SingleProcessDataLoaderIter",
        "_MultiProcessingDataLoaderIter",
        "_BaseDataLoaderIter",
        "_DataLoaderIter",
        "DataLoaderIter",
    }
)
"""Names by which a class of loaders begins an iterator of torch, those of torch 0.x included."""

CHAINS = frozenset({"torch.utils.data.ChainDataset", "torch.utils.data.dataset.ChainDataset"})
"""Iterable datasets that torch makes of others."""
