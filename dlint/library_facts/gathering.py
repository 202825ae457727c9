"""What Accelerate gathers, and how programs leave out what it has repeated.

Read in accelerate 1.15 (accelerator.py, `gather_for_metrics`; data_loader.py, `BatchSamplerShard`).
"""

from __future__ import annotations

FRAMEWORK = "Accelerate"

METHODS = frozenset(
    {"accelerate.Accelerator().gather", "accelerate.accelerator.Accelerator().gather"}
)

GATHER = METHODS | {"accelerate.utils.gather", "accelerate.utils.operations.gather"}
"""Calls that put the tensors of all processes together, repeated samples included."""

FOR_METRICS = "gather_for_metrics"
"""The method that leaves the samples out which the last batch repeats."""

DECIDING = ("even_batches", "dataloader_config")
"""Arguments of an Accelerator by which processes may get batches of different sizes."""

KEEPING_ROWS = frozenset({"float", "long", "int", "bool", "double", "to", "cpu", "cuda", "detach"})
"""Methods of a tensor whose result has a row for each sample."""

TELLING = frozenset({"remainder", "samples_seen", "end_of_dataloader"})
"""Names that speak of what the last batch repeats."""

REMOVING = frozenset({"unique", "drop_duplicates", "unique_consecutive"})
"""Functions that leave out what is there twice."""
