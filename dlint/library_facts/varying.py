"""What differs from worker to worker, from rank to rank, from epoch to epoch: calls and names."""

from __future__ import annotations

import re
from enum import StrEnum

from dlint.findings.regexes import lazily


class Source(StrEnum):
    """What a value may depend on."""

    WORKER = "the number of the worker"
    RANK = "the rank"
    EPOCH = "the epoch"
    STATE = "the first word of NumPy's state in a worker"
    UNKNOWN = "something that is not known"


CALLS: dict[str, frozenset[Source]] = {
    "torch.initial_seed": frozenset({Source.WORKER, Source.EPOCH}),
    "torch.distributed.get_rank": frozenset({Source.RANK}),
    "torch.distributed.get_node_local_rank": frozenset({Source.RANK}),
    "horovod.torch.rank": frozenset({Source.RANK}),
    "horovod.torch.local_rank": frozenset({Source.RANK}),
    "torch_xla.core.xla_model.get_ordinal": frozenset({Source.RANK}),
    "torch_xla.runtime.global_ordinal": frozenset({Source.RANK}),
    "torch_xla.core.xla_model.xrt_world_size": frozenset(),
    "torch_xla.runtime.world_size": frozenset(),
    "torch.distributed.get_world_size": frozenset(),
    "horovod.torch.size": frozenset(),
    "horovod.torch.local_size": frozenset(),
    "torch.cuda.device_count": frozenset(),
}
"""Library functions whose result differs by these alone."""

VARIABLES: dict[str, frozenset[Source]] = {
    "RANK": frozenset({Source.RANK}),
    "LOCAL_RANK": frozenset({Source.RANK}),
    "SLURM_PROCID": frozenset({Source.RANK}),
    "SLURM_LOCALID": frozenset({Source.RANK}),
    "OMPI_COMM_WORLD_RANK": frozenset({Source.RANK}),
    "OMPI_COMM_WORLD_LOCAL_RANK": frozenset({Source.RANK}),
    "WORLD_SIZE": frozenset(),
    "LOCAL_WORLD_SIZE": frozenset(),
}
"""Environment variables that launchers set."""

RANK_CALLS = frozenset({"get_rank", "get_global_rank", "local_rank", "rank"})
"""Names of methods and functions that tell the rank, where nothing else is known of them."""

WORKER_INFO = "torch.utils.data.get_worker_info"

PURE = frozenset({"builtins.int", "builtins.abs", "builtins.hash", "builtins.float"})
"""Functions whose result differs wherever their argument does, as numbers of this kind do."""

FOLDING = frozenset({"builtins.len", "builtins.max", "builtins.min", "builtins.round"})
"""Functions whose result may be the same where their arguments differ."""

RANK_NAME = lazily(r"^_?(\w+_)?rank$|^proc_?id$|^process_index$", re.I)
"""Names of numbers that differ from process to process."""

EPOCH_NAME = lazily(r"epoch|step|iter|time|round|fold|run|trial|initial_seed|entropy", re.I)
"""Names of numbers that may differ from epoch to epoch, or from run to run of one program."""
