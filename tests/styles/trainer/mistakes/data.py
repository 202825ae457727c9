from pathlib import Path

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, random_split


class RoadScenes(Dataset):
    def __init__(self, root, size=512, augment=False):
        self.images = sorted(Path(root, "images").glob("*.png"))
        self.masks = sorted(Path(root, "masks").glob("*.png"))
        self.size = size
        self.augment = augment

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = cv2.cvtColor(cv2.imread(str(self.images[i])), cv2.COLOR_BGR2RGB)
        mask = cv2.imread(str(self.masks[i]), cv2.IMREAD_GRAYSCALE)
        image = cv2.resize(image, (self.size, self.size))
        mask = cv2.resize(mask, (self.size, self.size), interpolation=cv2.INTER_NEAREST)
        if self.augment and np.random.rand() < 0.5:
            image = image[:, ::-1]
            mask = mask[:, ::-1]
        image = torch.from_numpy(image).permute(2, 0, 1).float() / 255  # want: negative-stride-sample
        return image, torch.from_numpy(mask).long()


def build_loaders(root, batch_size):
    full = RoadScenes(root, augment=True)
    n_val = len(full) // 10
    train, val = random_split(full, [len(full) - n_val, n_val])
    val.augment = False  # want: ineffective-subset-attribute
    train_loader = DataLoader(train, batch_size=batch_size, shuffle=True, num_workers=8)  # want: missing-pin-memory, missing-persistent-workers
    val_loader = DataLoader(val, batch_size=batch_size, shuffle=True, num_workers=8, pin_memory=True)  # want: shuffle-in-eval, missing-persistent-workers
    return train_loader, val_loader
