#!/usr/bin/env python
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, models, transforms

parser = argparse.ArgumentParser(description="ImageNet training")
parser.add_argument("data")
parser.add_argument("-b", "--batch-size", default=256, type=int)
parser.add_argument("-j", "--workers", default=8, type=int)
parser.add_argument("--epochs", default=90, type=int)
parser.add_argument("--local_rank", default=0, type=int)


def build(args):
    crop = transforms.Compose(
        [
            transforms.RandomResizedCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
        ]
    )
    center = transforms.Compose(
        [transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()]
    )
    train_set = datasets.ImageFolder(args.data + "/train", crop)
    val_set = datasets.ImageFolder(args.data + "/val", center)
    sampler = DistributedSampler(train_set)
    train_loader = DataLoader(
        train_set,
        batch_size=args.batch_size,
        sampler=sampler,
        num_workers=args.workers,
        pin_memory=True,
        persistent_workers=args.workers > 0,
    )
    val_loader = DataLoader(
        val_set,
        batch_size=args.batch_size,
        sampler=DistributedSampler(val_set, shuffle=False),
        num_workers=args.workers,
        pin_memory=True,
        persistent_workers=args.workers > 0,
    )
    return train_loader, val_loader


def main():
    args = parser.parse_args()
    torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl")
    model = DistributedDataParallel(models.resnet50().cuda(), device_ids=[args.local_rank])
    criterion = torch.nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    train_loader, val_loader = build(args)
    for epoch in range(args.epochs):
        train_loader.sampler.set_epoch(epoch)
        model.train()
        for i, (images, target) in enumerate(train_loader):
            images = images.cuda(args.local_rank, non_blocking=True)
            target = target.cuda(args.local_rank, non_blocking=True)
            loss = criterion(model(images), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 20 == 0:
                print(epoch, i, loss.item())
        validate(model, val_loader, args)


def validate(model, loader, args):
    model.eval()
    correct = torch.zeros(2).cuda()
    with torch.no_grad():
        for images, target in loader:
            images = images.cuda(args.local_rank, non_blocking=True)
            target = target.cuda(args.local_rank, non_blocking=True)
            correct[0] += (model(images).argmax(1) == target).sum()
            correct[1] += len(target)
    dist.all_reduce(correct)
    print("accuracy", (correct[0] / correct[1]).item())


if __name__ == "__main__":
    main()
