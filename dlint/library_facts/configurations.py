"""Frameworks that make the loaders themselves, by a configuration object that they are given.

Read in transformers 5.23 (trainer.py, `_get_dataloader`; training_args.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Configuration(NamedTuple):
    """One framework's configuration class, and how its arguments become those of a loader."""

    framework: str
    """Its name in the table of frameworks."""
    classes: frozenset[str]
    """Paths of the configuration classes."""
    makers: frozenset[str]
    """Paths of the classes that take a configuration and make loaders."""
    parameters: tuple[str, ...]
    """The positional parameters of a maker."""
    given: str
    """The parameter of a maker that takes the configuration."""
    roles: Mapping[str, str]
    """torch's arguments that a maker is given, by its own names."""
    keywords: Mapping[str, str]
    """torch's arguments that the configuration is given, by its own names."""
    defaults: Mapping[str, bool]
    """Defaults that are not torch's."""
    untouched: frozenset[str]
    """torch's arguments that the framework leaves at their defaults, or (`worker_init_fn`) gives
    what only seeds the workers."""
    overriding: frozenset[str]
    """Methods of a maker that make the loaders: a subclass with its own makes others."""
    setters: frozenset[str]
    """Methods of a configuration that change what it holds."""
    on_cpu: frozenset[str]
    """Arguments of a configuration that keep the model on the CPU."""


_KEPT = ("num_workers", "pin_memory", "persistent_workers", "prefetch_factor", "drop_last")

CONFIGURATIONS = (
    Configuration(
        "the Hugging Face Trainer",
        frozenset(
            {
                "transformers.TrainingArguments",
                "transformers.training_args.TrainingArguments",
                "transformers.Seq2SeqTrainingArguments",
                "transformers.training_args_seq2seq.Seq2SeqTrainingArguments",
            }
        ),
        frozenset(
            {
                "transformers.Trainer",
                "transformers.trainer.Trainer",
                "transformers.Seq2SeqTrainer",
                "transformers.trainer_seq2seq.Seq2SeqTrainer",
            }
        ),
        ("model", "args", "data_collator", "train_dataset", "eval_dataset"),
        "args",
        {"dataset": "train_dataset", "collate_fn": "data_collator"},
        {name: f"dataloader_{name}" for name in _KEPT},
        {"pin_memory": True},
        frozenset(
            {
                "timeout",
                "worker_init_fn",
                "multiprocessing_context",
                "pin_memory_device",
                "in_order",
            }
        ),
        frozenset({"get_train_dataloader", "_get_dataloader"}),
        frozenset({"set_dataloader"}),
        frozenset({"use_cpu", "no_cuda"}),
    ),
)
