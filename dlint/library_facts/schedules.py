"""Learning rate schedules that are made for a number of steps.

Read in torch 2.13.0 (torch/optim/lr_scheduler.py), transformers 5.23 (optimization.py) and
accelerate 1.15 (scheduler.py, accelerator.py).
"""

from __future__ import annotations

from typing import NamedTuple


class Schedule(NamedTuple):
    """The parameters of a schedule, and those that say how many steps it has."""

    parameters: tuple[str, ...]
    lengths: tuple[str, ...]


_WARMED = Schedule(("optimizer", "num_warmup_steps", "num_training_steps"), ("num_training_steps",))
_BY_NAME = Schedule(
    ("name", "optimizer", "num_warmup_steps", "num_training_steps"), ("num_training_steps",)
)
_WITH_RULES = Schedule(
    ("name", "optimizer", "step_rules", "num_warmup_steps", "num_training_steps"),
    ("num_training_steps",),
)
_KINDS = ("linear", "cosine", "cosine_with_hard_restarts", "polynomial_decay")


def _torch(name: str, *parameters: str, lengths: tuple[str, ...]) -> dict[str, Schedule]:
    return {f"torch.optim.lr_scheduler.{name}": Schedule(("optimizer", *parameters), lengths)}


SCHEDULES: dict[str, Schedule] = {
    **{
        f"{package}.get_{kind}_schedule_with_warmup": _WARMED
        for package in ("transformers", "transformers.optimization", "diffusers.optimization")
        for kind in _KINDS
    },
    "transformers.get_scheduler": _BY_NAME,
    "transformers.optimization.get_scheduler": _BY_NAME,
    "diffusers.optimization.get_scheduler": _WITH_RULES,
    **_torch("CosineAnnealingLR", "T_max", "eta_min", lengths=("T_max",)),
    **_torch(
        "OneCycleLR",
        "max_lr",
        "total_steps",
        "epochs",
        "steps_per_epoch",
        lengths=("total_steps", "steps_per_epoch"),
    ),
    **_torch("LinearLR", "start_factor", "end_factor", "total_iters", lengths=("total_iters",)),
    **_torch("PolynomialLR", "total_iters", "power", lengths=("total_iters",)),
}
"""Schedules that count optimizer steps, one a batch where their length is one of batches."""

BY_FUNCTION = {"torch.optim.lr_scheduler.LambdaLR": ("optimizer", "lr_lambda")}
"""Schedules that a function of the step decides on, as what it divides by says, and their
parameters, the function last."""

STEADY = frozenset(
    {
        "constant",
        "constant_with_warmup",
        "inverse_sqrt",
        "piecewise_constant",
        "reduce_lr_on_plateau",
    }
)
"""Names of schedules that ask for no number of steps: what they are given for it is not used.

Read in `get_scheduler` of transformers 5.23 and of diffusers 0.35 (optimization.py of both)."""

JOINING: dict[str, tuple[str, ...]] = {
    "torch.optim.lr_scheduler.SequentialLR": ("optimizer", "schedulers"),
    "torch.optim.lr_scheduler.ChainedScheduler": ("schedulers",),
}
"""Schedules that step others, and their parameters."""

DIVIDING = {"Accelerate": "prepare", "Fabric": "setup_dataloaders"}
"""Frameworks that give each process its part of a loader's batches, and by which method."""

UNDIVIDED = frozenset(
    {"split_batches", "dataloader_config", "parallelism_config", "use_distributed_sampler"}
)
"""Arguments by which the number of batches may stay as it is."""

STEPPING = "step_scheduler_with_optimizer"
"""The argument of an Accelerator by which a schedule that it was given is stepped once (False), or
once for each process (True, the default)."""

PROCESSES = frozenset({"num_processes", "world_size"})
"""Attributes of the frameworks' objects that say how many processes there are."""

SAME = frozenset(
    {
        "math.ceil",
        "math.floor",
        "builtins.int",
        "builtins.round",
        "builtins.float",
        "numpy.ceil",
        "numpy.floor",
        "builtins.max",
        "builtins.min",
    }
)
"""Functions that keep what a number counts."""
