"""Config files whose keys are handed on to torch's DataLoader, and how such a file is recognised.

Read in mmcv 1 and mmdetection 2 (mmdet/datasets/builder.py), BasicSR 1.4
(basicsr/data/__init__.py), llm-foundry 0.22 (llmfoundry/data/finetuning/dataloader.py),
speechbrain 1.0 (speechbrain/dataio/dataloader.py), timm 1.0 (train.py, timm/data/loader.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts.loaders import ARGUMENTS


class KeyedDialect(NamedTuple):
    """A framework that makes a loader of the keys of one mapping."""

    framework: str
    arguments: Mapping[str, str]
    """torch's argument by the key that it is given under."""
    required: frozenset[str]
    """Keys that the mapping has."""
    companions: frozenset[str]
    """Keys of which it has some, that say whose mapping this is."""
    least: int
    """How many of them."""
    under: re.Pattern[str] | None
    """What one of the keys that lead to the mapping looks like; None for the top of the file."""


_SAME = {name: name for name in ARGUMENTS}

KEYED = (
    KeyedDialect(
        "BasicSR",
        {
            "num_worker_per_gpu": "num_workers",
            "batch_size_per_gpu": "batch_size",
            "pin_memory": "pin_memory",
            "persistent_workers": "persistent_workers",
        },
        frozenset({"num_worker_per_gpu"}),
        frozenset({"type", "name", "dataroot_gt", "batch_size_per_gpu", "io_backend"}),
        2,
        lazily("datasets"),
    ),
    KeyedDialect(
        "llm-foundry",
        {
            name: name
            for name in (
                "drop_last",
                "num_workers",
                "pin_memory",
                "prefetch_factor",
                "persistent_workers",
                "timeout",
            )
        },
        frozenset({"name", "dataset"}),
        frozenset({"num_workers", "drop_last"}),
        1,
        lazily(r"(?:train|eval)_loader"),
    ),
    KeyedDialect(
        "timm",
        {"workers": "num_workers", "pin_mem": "pin_memory"},
        frozenset({"workers"}),
        frozenset(
            {
                "aa",
                "amp",
                "crop_pct",
                "cutmix",
                "decay_epochs",
                "drop_path",
                "mixup",
                "model_ema",
                "num_classes",
                "opt",
                "opt_eps",
                "pin_mem",
                "reprob",
                "sched",
                "smoothing",
                "warmup_epochs",
                "warmup_lr",
                "weight_decay",
            }
        ),
        6,
        None,
    ),
)

SPEECHBRAIN = KeyedDialect(
    "speechbrain",
    _SAME,
    frozenset(),
    frozenset(ARGUMENTS),
    1,
    lazily(r"(?:\w+_)?dataloader_opt(?:s|ions)(?:_\w+)?"),
)
"""hyperpyyaml's tags say that a file may be one of speechbrain."""

TRAINING_ARGUMENTS = "transformers.TrainingArguments"
TRAINING_KEY = lazily(
    "dataloader_(?:num_workers|pin_memory|persistent_workers|prefetch_factor|drop_last)"
)
TRAINING_KEYS = frozenset(
    {
        "adam_beta1",
        "bf16",
        "ddp_find_unused_parameters",
        "do_eval",
        "do_train",
        "eval_steps",
        "eval_strategy",
        "evaluation_strategy",
        "fp16",
        "gradient_accumulation_steps",
        "gradient_checkpointing",
        "learning_rate",
        "logging_steps",
        "lr_scheduler_type",
        "max_grad_norm",
        "max_steps",
        "num_train_epochs",
        "optim",
        "output_dir",
        "overwrite_output_dir",
        "per_device_eval_batch_size",
        "per_device_train_batch_size",
        "remove_unused_columns",
        "report_to",
        "save_steps",
        "save_strategy",
        "save_total_limit",
        "warmup_ratio",
        "warmup_steps",
        "weight_decay",
    }
)
"""Other arguments of a TrainingArguments: two of them say that a mapping is one."""

MMCV = {
    "workers_per_gpu": "num_workers",
    "samples_per_gpu": "batch_size",
    "videos_per_gpu": "batch_size",
    "pin_memory": "pin_memory",
    "persistent_workers": "persistent_workers",
    "prefetch_factor": "prefetch_factor",
    "drop_last": "drop_last",
}
"""torch's argument by the key of `data = dict(…)`."""

DETECTRON2_BUILDERS = frozenset({"build_detection_train_loader", "build_detection_test_loader"})
"""Functions of detectron2 that hand what they do not take to torch's DataLoader."""

CPUS_OF_A_RANK = "cpus_per_task"
"""The key of a launcher that says how many CPUs each rank has: Slurm's, as submitit takes it."""
LAUNCHER = "submitit.AutoExecutor.update_parameters"
"""What is given that key."""
