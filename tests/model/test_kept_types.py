"""Conversions that give a batch as it is."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.kept_types import changes_nothing
from dlint.model.transfers.renewed_batches import renewed_loaders
from tests.analyses.control.programs import MakeProgram

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from torchvision.datasets import ImageFolder
from PIL import Image


class Files(Dataset):
    def __init__(self, names, labels):
        self.names, self.labels = names, labels
        self.transform = transforms.Compose([transforms.Resize(8), transforms.ToTensor()])

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        image = self.transform(Image.open(self.names[index]).convert("RGB"))
        return image, torch.tensor(self.labels[index], dtype=torch.int64)


def main(names, labels, model, collate):
    loader = DataLoader({data}, batch_size=8, pin_memory=True, num_workers=4{more})
    for images, labels in loader:
        model({part}.cuda())
"""
FILES = "Files(names, labels)"
FOLDER = "ImageFolder('x', transform=transforms.Compose([transforms.ToTensor()]))"


@pytest.mark.parametrize(
    ("data", "more", "part", "same"),
    [
        (FILES, "", "images.float()", True),
        (FILES, "", "images.to(torch.float32)", True),
        (FILES, "", "images.half()", False),
        (FILES, "", "(images * 2).float()", False),
        (FILES, "", "labels.long()", True),
        (FILES, "", "labels.float()", False),
        (FILES, ", collate_fn=collate", "images.float()", False),
        (FOLDER, "", "images.float()", True),
        ("names", "", "images.float()", False),
    ],
)
def test_a_conversion_to_the_same_type_makes_no_tensor(
    context: MakeProgram, data: str, more: str, part: str, *, same: bool
) -> None:
    analysed = context(PROGRAM.format(data=data, more=more, part=part))
    (transfer,) = analysed[Loaders].transfers
    ((loader,),) = analysed[Loaders].by_call().values()
    assert changes_nothing(loader, transfer.source) is same
    assert (not renewed_loaders(transfer)) is same
