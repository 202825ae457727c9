import pytorch_lightning as pl
import torch
from torch.nn import functional as F
from torchvision.models import resnet18


class Classifier(pl.LightningModule):
    def __init__(self, lr=1e-3, classes=100):
        super().__init__()
        self.save_hyperparameters()
        self.net = resnet18(num_classes=classes)
        self.train_losses = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        image, label = batch
        loss = F.cross_entropy(self(image), label)
        self.train_losses.append(loss.detach())
        self.log("train_loss", loss)
        return loss

    def on_train_epoch_end(self):
        print(torch.stack(self.train_losses).mean().item())
        self.train_losses.clear()

    def validation_step(self, batch, batch_idx):
        image, label = batch
        logits = self(image)
        self.log("val_loss", F.cross_entropy(logits, label), sync_dist=True)
        self.log("val_acc", (logits.argmax(1) == label).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
