"""The same order in every epoch."""

# ruff: noqa: B007

import tempfile

import torch
import torch.distributed as dist
from common import Pictures, make, step
from torch.utils.data import DataLoader, DistributedSampler


def main():
    device = torch.device("cuda")
    model, optimizer = make(device)
    store = f"file://{tempfile.mkdtemp()}/store"
    dist.init_process_group("nccl", init_method=store, rank=0, world_size=1)
    pictures = Pictures(160)
    sampler = DistributedSampler(pictures)
    loader = DataLoader(pictures, batch_size=8, sampler=sampler, pin_memory=True)
    for epoch in range(1000):
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            step(model, optimizer, images, labels)


if __name__ == "__main__":
    main()
