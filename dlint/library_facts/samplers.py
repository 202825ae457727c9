"""torch's samplers: their paths and signatures (torch 2.13.0, sampler.py and distributed.py)."""

from __future__ import annotations

DISTRIBUTED_ARGUMENTS = ("dataset", "num_replicas", "rank", "shuffle", "seed", "drop_last")

DISTRIBUTED_DEFAULTS: dict[str, int | bool] = {"shuffle": True, "seed": 0, "drop_last": False}
"""What torch takes for those that are not given; the others it asks of the process group."""

DISTRIBUTED: dict[str, tuple[str, ...]] = {
    "torch.utils.data.DistributedSampler": DISTRIBUTED_ARGUMENTS,
    "torch.utils.data.distributed.DistributedSampler": DISTRIBUTED_ARGUMENTS,
}
"""Samplers that order by `seed + epoch` (distributed.py, `__iter__`), with their parameters."""

BATCHING = frozenset(
    {
        "torch.utils.data.BatchSampler",
        "torch.utils.data.sampler.BatchSampler",
    }
)
"""Samplers that wrap another one, which is reached as `.sampler`."""

DRAWING = frozenset({"make_private", "make_private_with_epsilon"})
"""Methods that take a loader and return one that draws its samples itself (Opacus)."""

DRAWN = "sklearn.datasets.make_"
SHUFFLED = frozenset(
    {
        "sklearn.utils.shuffle",
        "sklearn.model_selection.train_test_split",
    }
)
"""Functions that return data in a random order, unless `shuffle=False` is given; also those whose
path begins with `DRAWN` (scikit-learn 1.7)."""


def _sampler(name: str) -> tuple[str, str]:
    return (f"torch.utils.data.{name}", f"torch.utils.data.sampler.{name}")


IN_ORDER = frozenset(_sampler("SequentialSampler"))
"""The sampler that counts through the data set."""

REORDERING = frozenset(
    {"shuffle", "permutation", "randperm", "sample", "randint", "choice", "choices", "multinomial"}
    | {"randrange", "rand", "random", "permuted", "argsort", "sort", "reverse", "rotate"}
)
"""Last names of calls by which a sampler may come to another order."""

KEEPING_ALL = frozenset(
    {"shuffle", "permutation", "permuted", "randperm", "argsort", "sort", "reverse"}
)
"""Those after which all are there, unless a part is taken."""

OVER_DATASET: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_sampler("RandomSampler"), ("data_source", "replacement", "num_samples")),
    **dict.fromkeys(_sampler("SequentialSampler"), ("data_source",)),
    **dict.fromkeys(DISTRIBUTED, ("dataset", *DISTRIBUTED_ARGUMENTS[1:])),
}
"""Samplers whose first parameter is the dataset that they draw indices of."""

SUBSETS: dict[str, tuple[str, ...]] = dict.fromkeys(
    _sampler("SubsetRandomSampler"), ("indices", "generator")
)
"""Samplers that draw from a list of indices."""

WEIGHTED: dict[str, tuple[str, ...]] = dict.fromkeys(
    _sampler("WeightedRandomSampler"), ("weights", "num_samples", "replacement", "generator")
)
"""Samplers that draw by one weight for each sample."""

PLAIN: frozenset[str] = frozenset({*OVER_DATASET, *SUBSETS, *WEIGHTED})
"""Samplers that yield one index at a time."""

WHOLE: dict[str, tuple[str, ...]] = {
    path: signature
    for path, signature in {**OVER_DATASET, **SUBSETS}.items()
    if path not in DISTRIBUTED
}
"""Samplers that draw each index once, of those that they are given."""

OF_DATA, OF_INDICES = "data_source", "indices"
"""Their first parameters."""

BATCH: dict[str, tuple[str, ...]] = dict.fromkeys(BATCHING, ("sampler", "batch_size", "drop_last"))
"""Samplers that take the indices of another one in batches."""

BASES = frozenset(path for name in ("Sampler", "BatchSampler") for path in _sampler(name)) | {
    "typing.Generic"
}
"""Classes that samplers of a project are derived from, and that know nothing of ranks."""

PARTING = frozenset({"split", "chunk", "array_split", "tensor_split", "batched"})
"""Functions and methods that part what they are given into pieces of several elements."""

PICKING = frozenset({"random.sample", "random.choices", "random.Random().sample"})
"""Functions that give a list of some elements of what they are given."""
