"""The pictures and their loaders."""

from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
from torchvision.transforms import v2

SIZE = 224
SPECIES = ["cat", "dog"]


class Pets(Dataset):
    """Pictures in one folder a species."""

    def __init__(self, root):
        self.transform = v2.Compose(
            [v2.Resize((SIZE, SIZE)), v2.ToImage(), v2.ToDtype(torch.float32)]
        )
        self.images = []
        self.labels = []
        for label, species in enumerate(SPECIES):
            for path in sorted(Path(root, species).glob("*.jpg")):
                self.images.append(Image.open(path).convert("RGB"))
                self.labels.append(label)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


def make_loaders(root, batch_size, distributed):
    """The loaders for training and validation."""
    train_set, val_set = Pets(f"{root}/train"), Pets(f"{root}/val")
    sampler = DistributedSampler(train_set) if distributed else None
    train_loader = DataLoader(
        train_set, batch_size, shuffle=True, sampler=sampler, num_workers=4, pin_memory=True
    )
    val_loader = DataLoader(val_set, batch_size, num_workers=4)
    return train_loader, val_loader
