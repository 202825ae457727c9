"""Two masters of the order."""

# ruff: noqa: B007

import torch
from common import Pictures, make, step
from torch.utils.data import DataLoader, WeightedRandomSampler


def main():
    device = torch.device("cuda")
    model, optimizer = make(device)
    pictures = Pictures()
    sampler = WeightedRandomSampler([1.0] * len(pictures), len(pictures))
    loader = DataLoader(pictures, batch_size=8, shuffle=True, sampler=sampler, pin_memory=True)
    for epoch in range(1000):
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            step(model, optimizer, images, labels)


if __name__ == "__main__":
    main()
