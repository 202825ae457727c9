"""Every file is read before the first step; the steps leave workers the time to read."""

# ruff: noqa: B007

import tempfile
from pathlib import Path

import torch
from common import PIXELS, make, step
from torch.utils.data import DataLoader, Dataset

CYCLES = 40_000_000
"""Of the device: about 20 ms, whatever kind of numbers its products are made of."""


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
    files = [folder / f"{number}.pt" for number in range(20)]
    for path in files:
        torch.save(torch.rand(PIXELS, PIXELS), path)
    paths = [path for path in files for _ in range(60)]
    model, optimizer = make(device)
    loader = DataLoader(
        Files(paths), batch_size=8, pin_memory=True, num_workers=4, persistent_workers=True
    )
    for epoch in range(1000):
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            torch.cuda._sleep(CYCLES)
            step(model, optimizer, images, labels.to(device, non_blocking=True))


if __name__ == "__main__":
    main()
