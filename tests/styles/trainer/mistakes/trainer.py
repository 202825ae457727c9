import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, train_loader, val_loader, epochs):
        self.device = torch.device("cuda")
        self.model = model.to(self.device)
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.epochs = epochs
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(model.parameters())
        self.history = {"train": [], "val": []}

    def fit(self):
        for epoch in range(self.epochs):
            self.train_epoch()
            self.validate()
            self.save(epoch)

    def train_epoch(self):
        self.model.train()
        for step, (image, mask) in enumerate(self.train_loader):
            image = image.to(self.device)
            mask = mask.to(self.device)
            loss = self.criterion(self.model(image), mask)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.history["train"].append(loss)  # want: loss-history-kept
            torch.cuda.empty_cache()  # want: host-sync-in-loop
            if step % 100 == 0:
                self.preview()

    def preview(self):
        image, mask = next(iter(self.val_loader))  # want: iterator-restart-in-loop
        with torch.no_grad():
            prediction = self.model(image.to(self.device)).argmax(1)
        print("preview", (prediction.cpu() == mask).float().mean().item())

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total = 0.0
        for image, mask in self.val_loader:
            image = image.to(self.device)  # want: missing-non-blocking
            mask = mask.to(self.device)
            total += self.criterion(self.model(image), mask)
        self.history["val"].append(total.item() / len(self.val_loader))

    def save(self, epoch):
        torch.save({"epoch": epoch, "model": self.model.state_dict()}, "last.pt")
