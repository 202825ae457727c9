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
    train, val = random_split(scans, [len(scans) - n_val, n_val])  # want: unseeded-split
    sampler = DistributedSampler(  # want: missing-set-epoch, distributed-sampler-rank
        train, num_replicas=dist.get_world_size(), rank=local_rank
    )
    loader = DataLoader(train, batch_size=32, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
    extra = DataLoader(train, batch_size=32, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)  # want: missing-distributed-sampler
    val_loader = DataLoader(val, batch_size=32, num_workers=4, pin_memory=True, persistent_workers=True)
    model = DDP(models.densenet121(num_classes=1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters())
    criterion = torch.nn.BCEWithLogitsLoss()
    for epoch in range(20):
        for image, label in extra:
            step(model, optimizer, criterion, image, label)
        for image, label in loader:
            step(model, optimizer, criterion, image, label)
        if dist.get_rank() == 0:
            model.eval()
            wrong = 0
            with torch.no_grad():
                for image, label in val_loader:
                    out = model(image.cuda())[:, 0]  # want: missing-non-blocking, eval-on-one-rank
                    wrong += ((out > 0).cpu() != label.bool()).sum().item()
            print("error", wrong / len(val_loader.dataset))
            model.train()


def step(model, optimizer, criterion, image, label):
    image = image.cuda(non_blocking=True)
    label = label.cuda(non_blocking=True)
    loss = criterion(model(image)[:, 0], label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    main()
