"""Changes of what a data set keeps: of elements of lists, and of views of arrays in lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.model.data.datasets import dataset_classes
from dlint.model.samples.kept_arrays import lists_arrays
from dlint.model.samples.sample_edits import sample_edits
from tests.analyses.control.programs import MakeProgram

_TEXT = """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths, index):
        self.index = index
        {kept}

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        row = {taken}
        {change}
        return row


def main(paths, index):
    for x in DataLoader(Rows(paths, index)):
        print(x)
"""
_LISTED = "self.rows = [np.load(path) for path in paths]"
_ADDED = "self.rows, self.more = [], []\n        self.rows.append(np.ones((4, 4)))"
_ARRAY = "self.rows = np.load(paths[0])"


def _found(context: MakeProgram, kept: str, taken: str, change: str) -> list[tuple[str, str]]:
    analysed = context(_TEXT.format(kept=kept, taken=taken, change=change))
    (dataset,) = analysed[dataset_classes]
    edits = [(edit.attribute, edit.taken) for edit in sample_edits(dataset)]
    return [(name, Path(p.path).read_text("utf-8")[p.start : p.end]) for name, p in edits]


@pytest.mark.parametrize("kept", [_LISTED, _ADDED])
@pytest.mark.parametrize("change", ["row -= 1", "row[0] *= 2"])
@pytest.mark.parametrize(
    ("taken", "row"),
    [
        ("self.rows[i]", "self.rows[i]"),
        ("self.rows[i][1:3]", "self.rows[i]"),
        ("self.rows[self.index[i]][:, 2:]", "self.rows[self.index[i]]"),
        ("self.rows[i // 2][None, 2:, 0]", "self.rows[i // 2]"),
    ],
)
def test_arrays_in_lists_are_changed(
    context: MakeProgram, kept: str, taken: str, row: str, change: str
) -> None:
    assert _found(context, kept, taken, change) == [("rows", row)]


@pytest.mark.parametrize(
    ("kept", "taken", "change"),
    [
        (_LISTED, "self.rows[self.index[i]].copy()[:, 2:]", "row -= 1"),
        (_LISTED, "self.rows[0][:, 2:]", "row -= 1"),
        (_LISTED, "self.rows[i][self.index[i], 2:]", "row -= 1"),
        ("self.rows = [list(path) for path in paths]", "self.rows[i][1:3]", "row[0] *= 2"),
        (
            "self.rows = [np.load(path, mmap_mode='r') for path in paths]",
            "self.rows[i][:, 2:]",
            "row -= 1",
        ),
        (
            _ADDED + "\n        self.rows.extend(paths)",
            "self.rows[self.index[i]][:, 2:]",
            "row -= 1",
        ),
        (_ARRAY, "self.rows[self.index[i]]", "row[0] *= 2"),
        (_ARRAY, "self.rows[self.index[i]][:, 2:]", "row -= 1"),
    ],
)
def test_what_may_be_a_copy_is_left_alone(
    context: MakeProgram, kept: str, taken: str, change: str
) -> None:
    assert not _found(context, kept, taken, change)


def test_a_view_of_a_row_of_an_array_is_changed(context: MakeProgram) -> None:
    assert _found(context, _ARRAY, "self.rows[i][:, 2:]", "row -= 1") == [("rows", "self.rows[i]")]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (_LISTED, True),
        (_ADDED, True),
        ("self.rows = [torch.zeros(3), np.ones(3)]", True),
        ("self.rows = [torch.load(path).float() for path in paths]", True),
        ("self.rows = [path.copy() for path in paths]", False),
        ("self.rows = [[1].copy() for path in paths]", False),
        ("self.rows = [np.ones(3), 4]", False),
        ("self.rows = []", False),
        (_ARRAY, False),
    ],
)
def test_lists_of_arrays(context: MakeProgram, kept: str, expected: bool) -> None:
    analysed = context(_TEXT.format(kept=kept, taken="self.rows[i]", change="pass"))
    (dataset,) = analysed[dataset_classes]
    assert lists_arrays(dataset, "rows") is expected
