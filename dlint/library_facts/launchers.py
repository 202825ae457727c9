"""What starts the ranks of a program besides torch: Lightning's objects and torch_xla's processes.

Read in pytorch-lightning 1.9.5 and 2.6.6, lightning-fabric 2.6.6 and torch_xla 2.8.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RUNNERS = _words(
    "fire.Fire fire.core.Fire typer.run absl.app.run jsonargparse.CLI jsonargparse.auto_cli "
    "tyro.cli defopt.run torch.multiprocessing.spawn torch.multiprocessing.spawn.spawn "
    "accelerate.notebook_launcher"
)
"""Functions that run a function they are given."""

APPS = _words("typer.Typer typer.main.Typer")
"""Objects that run functions which are registered with them, when they are called."""

CLIS = _words(
    "lightning.pytorch.cli.LightningCLI pytorch_lightning.cli.LightningCLI "
    "pytorch_lightning.utilities.cli.LightningCLI"
)
"""Classes that train when they are made."""

STRATEGY = ("strategy", "accelerator", "distributed_backend")
"""Parameters that name how ranks work together; the last two before Lightning 1.5."""

COUNTS = ("devices", "gpus", "tpu_cores", "num_processes", "num_nodes")
"""Parameters that say how many ranks there are."""

NODES = "num_nodes"

OWN_SAMPLER = ("use_distributed_sampler", "replace_sampler_ddp")
"""Parameters of a Trainer that keep it from adding a sampler; the second before Lightning 2.0."""

STRATEGIES = _words(
    "ddp ddp_spawn ddp_fork ddp_notebook ddp_cpu ddp_sharded ddp_sharded_spawn "
    "ddp_find_unused_parameters_true ddp_find_unused_parameters_false "
    "ddp_spawn_find_unused_parameters_false ddp_fully_sharded fsdp fsdp_native fsdp_cpu_offload "
    "deepspeed deepspeed_stage_1 deepspeed_stage_2 deepspeed_stage_2_offload deepspeed_stage_3 "
    "deepspeed_stage_3_offload horovod xla xla_fsdp"
)
"""Strategies by which each rank is to see data of its own."""

STRATEGY_CLASSES = _words(
    "DDPStrategy DDPSpawnStrategy DDPShardedStrategy DDPFullyShardedNativeStrategy FSDPStrategy "
    "DeepSpeedStrategy HorovodStrategy XLAStrategy XLAFSDPStrategy DDPPlugin"
)
"""The classes behind them."""

PACKAGES = ("lightning.", "pytorch_lightning.", "lightning_fabric.")

NO_STRATEGY = _words("auto gpu cuda tpu cpu hpu")
"""Words that say nothing of how devices work together: Lightning takes a process for each."""

XLA_SPAWN = _words(
    "torch_xla.distributed.xla_multiprocessing.spawn torch_xla.launch torch_xla.torch_xla.launch"
)
"""Functions that run a function in one process for each XLA device."""

XLA_SINGLE = {"nprocs": 1, "debug_single_process": True}
"""Arguments by which they start one process only."""

XLA_STEPS = _words(
    "torch_xla.core.xla_model.optimizer_step torch_xla.core.xla_model.reduce_gradients"
)
"""Functions that average gradients over these processes."""

XLA_SPMD = "torch_xla.runtime.use_spmd"
"""After this call one process drives all devices, and is given whole batches."""

XLA_SAMPLER = ", num_replicas=xr.world_size(), rank=xr.global_ordinal()"
"""What a `DistributedSampler` has to be told there, since there may be no process group."""

XLA_LOADERS = _words(
    "torch_xla.distributed.parallel_loader.MpDeviceLoader "
    "torch_xla.distributed.parallel_loader.ParallelLoader"
)
"""Wrappers that copy batches to an XLA device, and split nothing."""

XLA_FULL = "fixed_batch_size"
"""By this argument such a wrapper stops before a batch of another size."""

XLA_DEVICES = _words(
    "torch_xla.core.xla_model.xla_device torch_xla.device torch_xla.torch_xla.device"
)
"""Functions that return an XLA device."""

XLA_MARKS = XLA_STEPS | _words(
    "torch_xla.core.xla_model.mark_step torch_xla.sync torch_xla.torch_xla.sync "
    "torch_xla.step torch_xla.torch_xla.step"
)
"""Functions that end a step, whose graph XLA then compiles and runs."""

XLA_WORDS = _words("tpu xla xla_debug xla_fsdp single_xla single_tpu tpu_spawn tpu_spawn_debug")
"""What a Trainer or Fabric is told to train on XLA by, as `accelerator` or `strategy`."""

XLA_CLASSES = _words(
    "TPUAccelerator XLAAccelerator XLAStrategy XLAFSDPStrategy SingleDeviceXLAStrategy "
    "TPUSpawnStrategy SingleTPUStrategy"
)
"""The classes behind them."""

TPU_CORES = "tpu_cores"
"""How many TPU cores a Trainer takes, before Lightning 2.0."""

WORDS = frozenset({"optimizer_step", "reduce_gradients", "Trainer", "Fabric"})
"""Words without which no file starts ranks so."""
