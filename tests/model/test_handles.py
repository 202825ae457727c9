"""What constructors leave open: files that a stack of context managers holds."""

from __future__ import annotations

import pytest

from dlint.model.data.datasets import dataset_classes
from dlint.model.data.handles import kept_handles
from tests.analyses.control.programs import MakeProgram

_TEXT = """
import contextlib
import h5py
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path, other):
        {opened}

    def __getitem__(self, index):
        return self.file["x"][index]

for x in DataLoader(Rows("a.h5", None), num_workers=2):
    print(x)
"""


@pytest.mark.parametrize(
    ("opened", "kept"),
    [
        ("self.s = contextlib.ExitStack(); self.file = self.s.enter_context(h5py.File(path))", 1),
        ("s = contextlib.ExitStack(); self.file = s.enter_context(h5py.File(path))", 1),
        ("self.file = other.enter_context(h5py.File(path))", 0),
        ("with contextlib.ExitStack() as s: self.file = s.enter_context(h5py.File(path))", 0),
        ("with h5py.File(path) as file:\n            self.file = file", 0),
        ("self.file = h5py.File(path)", 1),
    ],
)
def test_what_stays_open(context: MakeProgram, opened: str, kept: int) -> None:
    (dataset,) = context(_TEXT.format(opened=opened))[dataset_classes]
    assert len(list(kept_handles(dataset))) == kept
