"""Collation: whose samples torch's own collate function makes batches of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.collation import collates_by_default, converts_by_default, takes_samples_of

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, random_split

class Data(Dataset):
    def __getitem__(self, i):
        return i

class Outer(Dataset):
    def __init__(self, inner):
        self.inner = inner
    def __getitem__(self, i):
        return self.inner[i]
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("Data()", (True, True, True)),
        ("Subset(ConcatDataset([Data(), Data()]), [1])", (True, True, True)),
        ("random_split(Data(), [1, 2])[0]", (True, True, True)),
        ("Outer(Data())", (False, True, True)),
        ("Data() if flag else unknown()", (False, True, True)),
        ("Data(), batch_size=None", (True, False, True)),
        ("Data(), collate_fn=None", (True, True, True)),
        ("Data(), collate_fn=list", (True, False, False)),
    ],
)
def test_collation(context: MakeProgram, made: str, found: tuple[bool, ...]) -> None:
    program = context(f"{HEAD}\nfor x in DataLoader({made}):\n    x.cuda()\n")
    [[loader]] = program[Loaders].by_call().values()
    (data,) = [c for facts in program.modules for c in facts.module.classes if c.name == "Data"]
    asked = takes_samples_of(loader, data), collates_by_default(loader), converts_by_default(loader)
    assert asked == found
