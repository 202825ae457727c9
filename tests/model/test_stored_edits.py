"""Which samples workers may edit where the data set keeps them, and which edits are none."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.samples.stored_edits import may_edit_stored
from tests.analyses.control.programs import MakeProgram

_TEXT = """
import copy
import random

import h5py
import numpy as np
import torch
from pycocotools.coco import COCO
from torch.utils.data import DataLoader, Dataset


def flipped(joints, width):
    joints[:, 0] = width - joints[:, 0] - 1
    return joints


def shifted(joints, width):
    return joints - width


def load(item):
    return np.load(item)


class Inner(Dataset):
    def __init__(self, paths):
        self.rows = [np.load(path) for path in paths]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Poses(Dataset):
    def __init__(self, paths, index):
        self.paths, self.index, self.visits = paths, index, [0] * 8
        self.cache, self.file, self.scratch = {{}}, None, None
        self.coco, self.inner = COCO(paths[0]), Inner(paths)
        self.rows = []
        for path in paths:
            self.rows.append({{"joints": np.load(path), "center": np.zeros(2), "path": path}})
        self.images = np.load(paths[0])

    def __len__(self):
        return len(self.paths)

    def own(self, record):
        record["joints"][0] = random.random()
        return record

    def __getitem__(self, i):
        {lines}


def main(paths, index):
    for x in DataLoader(Poses(paths, index), num_workers=4{given}):
        print(x)
"""


def _may_edit(context: MakeProgram, *lines: str, given: str = "") -> bool:
    program = context(_TEXT.format(lines="\n        ".join(lines), given=given))
    ((loader,),) = program[Loaders].by_call().values()
    return may_edit_stored(loader)


_RECORD = "record = self.rows[i]"
_COPY = "record = self.rows[i].copy()"


@pytest.mark.parametrize(
    "lines",
    [
        (_RECORD, "record['joints'][0, :2] = load(record['joints'])"),
        (
            _RECORD,
            "joints = record['joints']",
            "for k in range(4):",
            "    joints[k] = joints[k] * 2",
        ),
        (_RECORD, "joints = flipped(record['joints'], 4)"),
        (_COPY, "joints = flipped(record['joints'], 4)"),
        ("record = dict(self.rows[i])", "record['center'] *= 2"),
        ("record = copy.copy(self.rows[i])", "record['center'][0] = 4 - record['center'][0]"),
        ("record = {**self.rows[i]}", "flipped(record['joints'], 4)"),
        ("record = self.rows[i] if i else self.rows[0]", "flipped(record['joints'], 4)"),
        (_RECORD, "c = record['center']", "if i:", "    c = c * 2", "c[0] = 4 - c[0]"),
        (_RECORD, "joints, path = record['joints'], record['path']", "flipped(joints, 4)"),
        (_RECORD, "joints = record.get('joints')", "flipped(joints, 4)"),
        (_RECORD, "for name, part in record.items():", "    part += [1]"),
        ("for k, record in enumerate(self.rows):", "    flipped(record['joints'], 4)"),
        ("parts = [r['joints'] for r in self.rows]", "flipped(parts[i], 4)"),
        ("self.own(self.rows[self.index[i]])",),
        (_RECORD, "record['center'] = record['center'] * 2"),
        (_RECORD, "if random.random() < 0.5:", "    record['path'] = 'x'", "return record['path']"),
        ("image = self.images[i]", "image[image > 9] = 0"),
        ("image = torch.from_numpy(self.images[i])", "image[random.randint(0, 9)] = 0"),
        ("image = self.images[i].transpose(1, 0).reshape(-1)", "image.sort()", "image[:4] = 0"),
        ("window = self.images[i : i + 4]", "window -= 4.5"),
        ("self.images[i] = self.images[i] / 255",),
        ("row = self.inner[i]", "row[0] = row[0] * 2"),
        ("for one in self.coco.loadAnns([i]):", "    one['box'] = flipped(one['box'], 3)"),
    ],
)
def test_edits_of_what_is_kept(context: MakeProgram, lines: tuple[str, ...]) -> None:
    assert _may_edit(context, *lines)


@pytest.mark.parametrize(
    "lines",
    [
        ("record = copy.deepcopy(self.rows[i])", "flipped(record['joints'], 4)"),
        (_RECORD, "joints = flipped(np.array(record['joints']), 4)"),
        (_RECORD, "joints = flipped(record['joints'].copy(), 4)"),
        (_RECORD, "joints = record['joints'].copy()", "joints[0] = joints[0] * 2"),
        (_RECORD, "joints = torch.tensor(record['joints'])", "joints[0] *= 2"),
        (_RECORD, "joints = record['joints'] * 2", "joints[0] *= 2"),
        (_RECORD, "joints = shifted(record['joints'], 4)", "joints[0] *= 2"),
        (_COPY, "record['center'] = record['center'] * 2"),
        (_COPY, "record.pop('path')"),
        (_COPY, "record['path'] += '.npy'", "record['center'] -= 1"),
        (_RECORD, "image = load(record['path'])", "image[:, 0] *= 2", "flipped(image, 4)"),
        (_RECORD, "record['image'] = load(record['path'])"),
        ("image = self.images[[i, i + 1]]", "image[0] = 0"),
        ("image = self.images[self.images > 3]", "image[:1] = 0"),
        ("if self.cache.get(i) is None:", "    self.cache[i] = load(self.paths[i])"),
        ("if i not in self.cache:", "    self.cache[i] = {}", "self.cache[i]['x'] = load(i)"),
        ("self.cache[i][self.paths[i]] = load(self.paths[i])",),
        ("x = self.cache.get(i)", "if x is None:", "    x = load(i)", "self.cache[i] = x"),
        ("self.visits[i] += 1",),
        ("path = self.paths[i]", "path += '.npy'"),
        ("label = self.index[i]", "label -= 1"),
        ("self.scratch = load(i)", "row = self.scratch[i]", "row[:] = 0"),
        (
            "if self.file is None:",
            "    self.file = h5py.File('x')",
            "x = self.file[i]",
            "x[:2] = 0",
        ),
        ("one = self.coco.loadRes(i)", "one[:2] = 0"),
        ("row = self.inner[i] * 2", "row[0] = row[0] * 2"),
    ],
)
def test_what_is_no_edit_of_that(context: MakeProgram, lines: tuple[str, ...]) -> None:
    assert not _may_edit(context, *lines)


_COLLATE = ", collate_fn=lambda samples: [flipped(s['joints'], 4) for s in samples]"


@pytest.mark.parametrize(
    ("given", "taken", "edits"),
    [
        (_COLLATE, "self.rows[i]", True),
        (_COLLATE, "dict(self.rows[i])", True),
        (_COLLATE, "copy.deepcopy(self.rows[i])", False),
        ("", "self.rows[i]", False),
    ],
)
def test_edits_of_a_collate_function(
    context: MakeProgram, given: str, taken: str, *, edits: bool
) -> None:
    assert _may_edit(context, f"return {taken}", given=given) == edits
