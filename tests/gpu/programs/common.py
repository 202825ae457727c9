"""A model and batches of tens of megabytes, so that copies to the device matter."""

import shutil

import torch
from torch import nn
from torch.utils.data import Dataset

ROOMY = shutil.disk_usage("/dev/shm").total >= 1 << 30
"""Whether workers can hand over large batches: containers often have 64 MiB for that."""
PIXELS = 1024 if ROOMY else 128


class Busy(nn.Module):
    """Some milliseconds of work, whatever the batch holds."""

    def __init__(self):
        super().__init__()
        self.register_buffer("matrix", torch.rand(4096, 4096))

    def forward(self, images):
        with torch.no_grad():
            for _ in range(2):
                self.matrix @ self.matrix
        return images


class Pictures(Dataset):
    """Samples of 4 MiB, where there is room, out of a few in shared memory: they cost little."""

    def __init__(self, count=2000):
        self.count = count
        self.kept = torch.rand(8, PIXELS, PIXELS).share_memory_()

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.kept[index % 8], index % 10


def make(device):
    torch.manual_seed(0)
    model = nn.Sequential(
        Busy(),
        nn.Conv2d(1, 32, 7, 4),
        nn.ReLU(),
        nn.Conv2d(32, 64, 5, 4),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    ).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.01)


def step(model, optimizer, images, labels):
    loss = nn.functional.cross_entropy(model(images[:, None]), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
