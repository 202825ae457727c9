"""torch's samplers: their paths and signatures (torch 2.13.0, sampler.py and distributed.py)."""

from __future__ import annotations

_DISTRIBUTED = ("dataset", "num_replicas", "rank", "shuffle", "seed", "drop_last")

DISTRIBUTED: dict[str, tuple[str, ...]] = {
    "torch.utils.data.DistributedSampler": _DISTRIBUTED,
    "torch.utils.data.distributed.DistributedSampler": _DISTRIBUTED,
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
