import pytorch_lightning as pl
from torch.utils.data import DataLoader, DistributedSampler, random_split
from torchvision import transforms
from torchvision.datasets import ImageFolder


class Products(pl.LightningDataModule):
    def __init__(self, root, batch_size=64, num_workers=0):
        super().__init__()
        self.save_hyperparameters()
        self.transform = transforms.Compose(
            [transforms.RandomResizedCrop(224), transforms.ColorJitter(0.4), transforms.ToTensor()]
        )

    def setup(self, stage=None):
        full = ImageFolder(self.hparams.root, transform=self.transform)
        n = int(0.9 * len(full))
        self.train_set, self.val_set = random_split(full, [n, len(full) - n])  # want: transform-shared-by-splits|random-transform-in-eval, unseeded-split

    def train_dataloader(self):
        return DataLoader(  # want: zero-workers, shuffle-with-sampler
            self.train_set,
            batch_size=self.hparams.batch_size,
            shuffle=True,
            sampler=DistributedSampler(self.train_set),
            num_workers=self.hparams.num_workers,
        )

    def val_dataloader(self):
        return DataLoader(  # want: shuffle-in-eval, missing-persistent-workers
            self.val_set, batch_size=64, shuffle=True, num_workers=4, pin_memory=True
        )
