"""Large batches copied from pageable memory."""

# ruff: noqa: B007

import torch
from common import Pictures, make, step
from torch.utils.data import DataLoader


def main():
    device = torch.device("cuda")
    model, optimizer = make(device)
    loader = DataLoader(Pictures(), batch_size=8, num_workers=4, persistent_workers=True)
    for epoch in range(1000):
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            step(model, optimizer, images, labels)


if __name__ == "__main__":
    main()
