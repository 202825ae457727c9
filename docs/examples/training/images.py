"""Images that are read and transformed sample by sample, without workers."""

import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """One file a sample, on a disk that takes its time."""

    def __init__(self, folder):
        self.paths = sorted(folder.glob("*.pt"))

    def __len__(self):
        return 2000

    def __getitem__(self, index):
        time.sleep(0.004)
        image = torch.load(self.paths[index % len(self.paths)])
        return image.flip(-1), index % 10


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    folder = Path(tempfile.mkdtemp())
    for number in range(20):
        torch.save(torch.rand(3, 32, 32), folder / f"{number}.pt")
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(7200, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Images(folder), batch_size=8, shuffle=True)
    for epoch in range(10):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
