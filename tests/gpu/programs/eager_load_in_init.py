"""Every file is read before the first step."""

# ruff: noqa: B007

import tempfile
from pathlib import Path

import torch
from common import PIXELS, make, step
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    """All files in memory."""

    def __init__(self, paths):
        self.images = [torch.load(path) for path in paths]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], index % 10


def main():
    device = torch.device("cuda")
    folder = Path(tempfile.gettempdir())
    paths = [folder / f"{number}.pt" for number in range(200)]
    for path in paths:
        torch.save(torch.rand(PIXELS, PIXELS), path)
    model, optimizer = make(device)
    loader = DataLoader(Files(paths), batch_size=8, pin_memory=True)
    for epoch in range(1000):
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            step(model, optimizer, images, labels.to(device, non_blocking=True))


if __name__ == "__main__":
    main()
