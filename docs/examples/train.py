"""Train a small classifier of pets; also with `torchrun`."""

import argparse
import os

import torch
import torch.distributed as dist
from data import SPECIES, make_loaders
from engine import evaluate, train_one_epoch
from torch.nn.parallel import DistributedDataParallel
from torchvision.models import resnet18


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    return parser.parse_args()


def main():
    """Train, and report after each epoch."""
    args = parse_arguments()
    distributed = "WORLD_SIZE" in os.environ
    rank = int(os.environ.get("LOCAL_RANK", 0))
    device = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")
    model = resnet18(num_classes=len(SPECIES)).to(device)
    if distributed:
        dist.init_process_group("nccl")
        model = DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters())
    train_loader, val_loader = make_loaders(args.root, args.batch_size, distributed)
    for epoch in range(args.epochs):
        train_one_epoch(model, train_loader, optimizer, device)
        print(f"epoch {epoch}: {evaluate(model, val_loader, device):.3f}")


if __name__ == "__main__":
    main()
