import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, Subset
from torchvision import transforms
from torchvision.datasets import ImageFolder


class Products(pl.LightningDataModule):
    def __init__(self, root, batch_size=64, num_workers=8):
        super().__init__()
        self.save_hyperparameters()
        self.augment = transforms.Compose(
            [transforms.RandomResizedCrop(224), transforms.ColorJitter(0.4), transforms.ToTensor()]
        )
        self.plain = transforms.Compose(
            [transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()]
        )

    def setup(self, stage=None):
        training = ImageFolder(self.hparams.root, transform=self.augment)
        validation = ImageFolder(self.hparams.root, transform=self.plain)
        order = torch.randperm(len(training), generator=torch.Generator().manual_seed(0)).tolist()
        n = int(0.9 * len(training))
        self.train_set = Subset(training, order[:n])
        self.val_set = Subset(validation, order[n:])

    def train_dataloader(self):
        return DataLoader(
            self.train_set,
            batch_size=self.hparams.batch_size,
            shuffle=True,
            num_workers=self.hparams.num_workers,
            pin_memory=True,
            persistent_workers=True,
        )

    def val_dataloader(self):
        return DataLoader(
            self.val_set, batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True
        )
