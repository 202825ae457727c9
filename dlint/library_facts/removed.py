"""What torch and torchdata no longer have, and what stands in its place."""

from __future__ import annotations

SIX = "torch._six"
"""Gone with torch 2.0 (the wheel of 1.13.1 has the module, that of 2.0.1 has not)."""

_SIX_IMPORTS = {
    "inf": "from math import inf",
    "nan": "from math import nan",
    "queue": "import queue",
    "container_abcs": "import collections.abc as container_abcs",
}
_SIX_VALUES = {"string_classes": "(str, bytes)", "int_classes": "int"}

PIPES = ("torchdata.datapipes", "torchdata.dataloader2")
"""Gone with torchdata 0.10: the wheel of 0.9.0 has them, that of 0.10.0 has not."""

LAST_WITH_PIPES = (0, 9)
"""The last minor version of torchdata that certainly has them."""

SAMPLERS = frozenset(
    {
        "torch.utils.data.Sampler",
        "torch.utils.data.sampler.Sampler",
        "torch.utils.data.dataloader.Sampler",
    }
)
"""The base class of samplers; its constructor took a data source until torch 2.9."""


def six_statement(name: str, bound: str) -> str | None:
    """A statement that binds what `from torch._six import name as bound` did."""
    if name in _SIX_VALUES:
        return f"{bound} = {_SIX_VALUES[name]}"
    plain = _SIX_IMPORTS.get(name)
    if plain is None or bound == name:
        return plain
    return f"{plain.removesuffix(f' as {name}')} as {bound}"


def six_value(name: str) -> str | None:
    """An expression for `torch._six.name` that needs no import."""
    return 'float("inf")' if name == "inf" else _SIX_VALUES.get(name)


DATED = (1, 0)
"""The newest torch on which all of the following runs."""

DATED_ARGUMENTS = frozenset({"data_tensor", "target_tensor"})
"""Arguments that `TensorDataset` refuses today (`volatile` of `Variable` only warns)."""

RENAMED_ATTRIBUTES = frozenset({"train_data", "train_labels", "test_data", "test_labels"})
"""What torchvision's data sets kept their samples in until torchvision 0.2.1."""

DATED_TEXT = b".data[0]"
DATED_NAMES = frozenset(name.encode() for name in {*RENAMED_ATTRIBUTES, "data_tensor"})
"""What the text of a module must hold for any of it, names as whole words."""

READ_ONLY = frozenset(
    f"torchvision.datasets.{name}" for name in ("MNIST", "FashionMNIST", "KMNIST", "EMNIST")
)
"""Data sets that have them as properties since, which cannot be written."""

WITHOUT = frozenset(f"torchvision.datasets.{name}" for name in ("CIFAR10", "CIFAR100"))
"""Data sets that no longer have them."""
