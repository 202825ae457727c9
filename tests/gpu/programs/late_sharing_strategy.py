"""A strategy that is set when the workers have started."""

# ruff: noqa: B007

import torch
from common import Pictures, make, step
from torch.utils.data import DataLoader


def main():
    device = torch.device("cuda")
    model, optimizer = make(device)
    loader = DataLoader(
        Pictures(160), batch_size=8, num_workers=2, persistent_workers=True, pin_memory=True
    )
    for epoch in range(1000):
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            step(model, optimizer, images, labels)
        torch.multiprocessing.set_sharing_strategy("file_system")


if __name__ == "__main__":
    main()
