"""Several ranks: what makes them, what keeps their models alike, how code names them.

Read in torch 2.13.0 (torch/nn/parallel/distributed.py, torch/distributed/fsdp), apex and Horovod.
"""

from __future__ import annotations

import re
from enum import StrEnum

from dlint.findings.regexes import lazily


def _in(name: str, *packages: str) -> dict[str, str]:
    return {f"{package}.{name}": name for package in packages}


WRAPPERS: dict[str, str] = {
    **_in(
        "DistributedDataParallel",
        "torch.nn.parallel",
        "torch.nn.parallel.distributed",
        "apex.parallel",
        "apex.parallel.distributed",
    ),
    **_in(
        "FullyShardedDataParallel",
        "torch.distributed.fsdp",
        "torch.distributed.fsdp.fully_sharded_data_parallel",
        "fairscale.nn",
    ),
    **_in("XlaFullyShardedDataParallel", "torch_xla.distributed.fsdp"),
    **_in("DistributedOptimizer", "horovod.torch"),
}
"""Classes whose objects average gradients over the ranks, and the names they go by."""

MODEL_WRAPPERS = frozenset({*WRAPPERS, "torch.nn.DataParallel", "torch.nn.parallel.DataParallel"})
"""Classes of modules that hold another one as it is: to move theirs moves its weights."""

IN_PLACE: dict[str, str] = {
    **_in(
        "fully_shard",
        "torch.distributed.fsdp",
        "torch.distributed._composable.fsdp",
        "torch.distributed.fsdp._fully_shard",
    ),
    **_in("replicate", "torch.distributed._composable", "torch.distributed._composable.replicate"),
}
"""Functions that do the same to the module they are given."""

WRAPPING_NAMES = frozenset({*WRAPPERS.values(), *IN_PLACE.values()})
"""Words without which no file wraps a model."""

_MAIN = frozenset(
    {"is_main_process", "is_local_main_process", "on_main_process", "on_local_main_process"}
)
MAIN_PROCESS = {
    **dict.fromkeys(("accelerate.Accelerator", "accelerate.PartialState"), _MAIN),
    **dict.fromkeys(("accelerate.accelerator.Accelerator", "accelerate.state.PartialState"), _MAIN),
    **dict.fromkeys(
        ("lightning.Fabric", "lightning.fabric.Fabric", "lightning_fabric.Fabric"),
        frozenset({"is_global_zero"}),
    ),
}
"""Attributes of objects of these classes that are true in one process alone, or decorate what
runs in one alone."""

RANK_ZERO_ONLY = "rank_zero_only"
"""The decorator of Lightning of what runs on one rank alone."""

GROUPED = frozenset({"process_group", "device_mesh", "mesh", "pg"})
"""Arguments of a wrapper by which not all ranks need to see data of their own."""

GROUPS = frozenset(
    {
        "torch.distributed.init_process_group",
        "torch.distributed.distributed_c10d.init_process_group",
    }
)
"""Calls that make this process one of several ranks."""

NEEDING_A_GROUP = frozenset(path for path in WRAPPERS if path.startswith("torch."))
"""Classes whose objects are made by ranks that have joined a process group, and raise before
(torch/nn/parallel/distributed.py, torch/distributed/fsdp/_init_utils.py)."""

JOINING = frozenset(
    {
        "init_process_group",
        "init_device_mesh",
        "deepspeed",
        "horovod",
        "accelerate",
        "ignite",
        "lightning",
        "pytorch_lightning",
        "mmcv",
        "mmengine",
        "detectron2",
        "fvcore",
        "composer",
        "torch_xla",
        "colossalai",
        "fairscale",
        "fairseq",
        "catalyst",
        "ray",
        "byteps",
        "megatron",
    }
)
"""Words of code that joins the ranks, or of frameworks that have it done."""

JOINS = lazily(
    r"(init|setup|set_up|start|launch|join|spawn).*(dist|ddp|fsdp|group|parallel|rank)"
    r"|(dist|ddp|fsdp|group|parallel|ranks?)_?(init|setup|start|launch|join)",
    re.I,
)
"""Names of functions that may do it, wherever they come from."""

MODEL_PARALLEL = frozenset(
    {
        "parallelize_module",
        "initialize_model_parallel",
        "initialize_megatron",
        "PipelineStage",
        "PipelineModule",
        "ColumnParallelLinear",
        "ColwiseParallel",
        "context_parallel",
        "new_group",
        "new_subgroups",
        "DistributedRPC",
        "init_rpc",
    }
)
"""Calls after which some ranks share their batches on purpose."""

SHARING_BATCHES = frozenset(
    {"broadcast", "broadcast_object_list", "scatter", "scatter_object_list"}
)
"""Calls by which ranks hand each other parts of a batch."""


class Rank(StrEnum):
    """What an expression counts."""

    GLOBAL = "the rank among all processes"
    LOCAL = "the rank on its machine"
    WORLD = "the number of all processes"
    MACHINE = "the number of devices of one machine"


CALLS: dict[str, Rank] = {
    "torch.distributed.get_rank": Rank.GLOBAL,
    "horovod.torch.rank": Rank.GLOBAL,
    "torch_xla.core.xla_model.get_ordinal": Rank.GLOBAL,
    "torch_xla.runtime.global_ordinal": Rank.GLOBAL,
    "torch_xla.core.xla_model.xrt_world_size": Rank.WORLD,
    "torch_xla.runtime.world_size": Rank.WORLD,
    "torch_xla.core.xla_model.get_local_ordinal": Rank.LOCAL,
    "torch_xla.runtime.local_ordinal": Rank.LOCAL,
    "torch.distributed.get_world_size": Rank.WORLD,
    "horovod.torch.size": Rank.WORLD,
    "torch.distributed.get_node_local_rank": Rank.LOCAL,
    "horovod.torch.local_rank": Rank.LOCAL,
    "horovod.torch.local_size": Rank.MACHINE,
    "torch.cuda.device_count": Rank.MACHINE,
    "torch.accelerator.device_count": Rank.MACHINE,
}
"""Library functions that count ranks."""

_ACCELERATE = {
    "process_index": Rank.GLOBAL,
    "local_process_index": Rank.LOCAL,
    "num_processes": Rank.WORLD,
}
_FABRIC = {"global_rank": Rank.GLOBAL, "local_rank": Rank.LOCAL, "world_size": Rank.WORLD}
ATTRIBUTES: dict[str, dict[str, Rank]] = {
    "accelerate.Accelerator": _ACCELERATE,
    "accelerate.accelerator.Accelerator": _ACCELERATE,
    "accelerate.PartialState": _ACCELERATE,
    "accelerate.state.PartialState": _ACCELERATE,
    "accelerate.state.AcceleratorState": _ACCELERATE,
    "lightning.Fabric": _FABRIC,
    "lightning.fabric.Fabric": _FABRIC,
    "lightning_fabric.Fabric": _FABRIC,
}
"""Attributes of objects of these classes that count ranks."""

VARIABLES: dict[str, Rank] = {
    "RANK": Rank.GLOBAL,
    "WORLD_SIZE": Rank.WORLD,
    "LOCAL_RANK": Rank.LOCAL,
    "LOCAL_WORLD_SIZE": Rank.MACHINE,
    "SLURM_PROCID": Rank.GLOBAL,
    "SLURM_LOCALID": Rank.LOCAL,
    "OMPI_COMM_WORLD_RANK": Rank.GLOBAL,
    "OMPI_COMM_WORLD_LOCAL_RANK": Rank.LOCAL,
}
"""Environment variables that launchers set (torchrun, Slurm, MPI)."""

_RANKED = (
    r"ranks?|ordinal|world|world_?size|replicas?|sharded|partition\w*|proc_?id|process_index|"
    r"num_processes|split_dataset_by_node|by_node|chunk_id"
)
SHARDED = lazily(rf"(^|_)({_RANKED}|n?shards?)($|_)", re.I)
"""Names by which data are split over ranks."""

RANKED = lazily(rf"(^|_)({_RANKED})($|_)", re.I)
"""The same where shards are the files that all ranks share."""

PARTED = lazily(
    rf"(^|_)({_RANKED})($|_)|(num|n|total)_?shards?|shard_?(id|index|idx|num|count|rank|no)"
    r"|(own|my|local|this|node|worker|process)_shards?($|_)|^shard$",
    re.I,
)
"""The same, and names of parts, where shards are known to be files."""

DISTRIBUTED = lazily(
    r"(^|_)(ranks?|world\w*|dist|distributed|ddp|fsdp|parallel|replicas?|n?_?gpus?|ngpus?|"
    r"num_?gpus?|multi_?gpus?|launcher|nprocs?|n_?procs?|nodes?|horovod|hvd|multiprocessing\w*|"
    r"is_main\w*|is_master|master|main_process|spawn)($|_)",
    re.I,
)
"""Names of tests that ask whether, or as which rank, code runs."""

MADE_UP = lazily(r"fake|dummy|synthetic|random_?(data|tensor|input|image)|toy|mock", re.I)
"""Names of data that are made up: every rank may draw its own."""

MAP_STYLE = (
    "torchvision.datasets.",
    "torchaudio.datasets.",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.Subset",
)
"""How the paths of library datasets begin that are indexed."""

SEEDING = lazily(r"(^|_)(manual_)?seeds?(_all|_everything|_torch)?($|_)|^seed", re.I)
"""Names of functions that seed generators."""

COMBINING = lazily(r"reduce|gather|synchroni[sz]e|world_size", re.I)
"""Calls and names by which ranks put their sums together."""

REDUCING = lazily(r"^all_?reduce|^reduce_|_reduce(_|$)|synchroni[sz]e_between", re.I)
"""Calls by which ranks add what each of them has counted."""
