"""How long the data sets of programs written in tests are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.analyses.context import AnalysisContext
from dlint.analyses.volume.datasets import DatasetSize, DatasetSizes
from dlint.analyses.volume.ranges import Range

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import numpy as np
import torch
from PIL import Image
from torch.utils.data import ConcatDataset, Dataset, Subset, TensorDataset, random_split
from torchvision import datasets, transforms
from torchvision.datasets import CIFAR10, MNIST, ImageFolder
from torchvision.transforms import v2
"""


def size_of(context: MakeProgram, text: str, **more: str) -> DatasetSize:
    """The size of what the last `data = …` of a program binds."""
    analysed = context({"main.py": HEAD + text} | {f"{n}.py": t for n, t in more.items()})
    scope = next(f.module.body for f in analysed.modules if f.module.path.endswith("main.py"))
    definition = list(scope.bindings("data"))[-1]
    return analysed[DatasetSizes].of(definition.value, analysed.solver.root(scope))


def number_of(number: Range | None) -> object:
    if number is None:
        return None
    return int(number.low) if number.is_exact else (int(number.low), int(number.high))
