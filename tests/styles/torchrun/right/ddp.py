"""torchrun --nnodes 2 --nproc_per_node 8 ddp.py"""

import os

import torch
import torch.distributed as dist
from PIL import Image
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, random_split
from torch.utils.data.distributed import DistributedSampler
from torchvision import models, transforms


class Scans(Dataset):
    def __init__(self, root):
        self.root = root
        self.names = sorted(os.listdir(root))
        self.transform = transforms.Compose([transforms.Resize((384, 384)), transforms.ToTensor()])

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        name = self.names[index]
        image = Image.open(os.path.join(self.root, name)).convert("RGB")
        return self.transform(image), float(name.startswith("pos"))


def main():
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    scans = Scans("/data/scans")
    n_val = len(scans) // 10
    seeded = torch.Generator().manual_seed(0)
    train, val = random_split(scans, [len(scans) - n_val, n_val], generator=seeded)
    sampler = DistributedSampler(train)
    val_sampler = DistributedSampler(val, shuffle=False)
    options = dict(batch_size=32, num_workers=8, pin_memory=True, persistent_workers=True)
    loader = DataLoader(train, sampler=sampler, **options)
    val_loader = DataLoader(val, sampler=val_sampler, **options)
    model = DDP(models.densenet121(num_classes=1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters())
    criterion = torch.nn.BCEWithLogitsLoss()
    for epoch in range(20):
        sampler.set_epoch(epoch)
        model.train()
        for image, label in loader:
            image = image.cuda(non_blocking=True)
            label = label.cuda(non_blocking=True)
            loss = criterion(model(image)[:, 0], label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        counts = torch.zeros(2, device="cuda")
        with torch.no_grad():
            for image, label in val_loader:
                label = label.cuda(non_blocking=True)
                out = model.module(image.cuda(non_blocking=True))[:, 0]
                counts[0] += ((out > 0) != label.bool()).sum()
                counts[1] += len(label)
        dist.all_reduce(counts)
        if dist.get_rank() == 0:
            print("error", (counts[0] / counts[1]).item())


if __name__ == "__main__":
    main()
