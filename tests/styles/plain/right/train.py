import glob
import os

import torch
from PIL import Image
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms

DATA = "data/birds"
EPOCHS = 30
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Folder(Dataset):
    def __init__(self, root, transform):
        self.paths = sorted(glob.glob(os.path.join(root, "*", "*.jpg")))
        self.classes = sorted(os.listdir(root))
        self.labels = [self.classes.index(os.path.basename(os.path.dirname(p))) for p in self.paths]
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = Image.open(self.paths[index]).convert("RGB")
        return self.transform(image), self.labels[index]


augment = transforms.Compose(
    [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
)
plain = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])

if __name__ == "__main__":
    train_set = Folder(f"{DATA}/train", augment)
    val_set = Folder(f"{DATA}/val", plain)
    test_set = Folder(f"{DATA}/test", plain)
    options = {"batch_size": 64, "num_workers": 8, "pin_memory": True, "persistent_workers": True}
    train_loader = DataLoader(train_set, shuffle=True, **options)
    val_loader = DataLoader(val_set, **options)
    test_loader = DataLoader(test_set, batch_size=64, num_workers=8, pin_memory=True)

    model = models.resnet50(num_classes=len(train_set.classes)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-4)
    losses = []
    for epoch in range(EPOCHS):
        model.train()
        running = torch.zeros((), device=device)
        for images, labels in train_loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            running += loss.detach()
        losses.append(running.item() / len(train_loader))
        print(f"epoch {epoch}: {losses[-1]:.4f}")

        model.eval()
        correct = torch.zeros((), device=device)
        with torch.no_grad():
            for images, labels in val_loader:
                images = images.to(device, non_blocking=True)
                labels = labels.to(device, non_blocking=True)
                correct += (model(images).argmax(1) == labels).sum()
        print("val accuracy", correct.item() / len(val_set))

    model.eval()
    correct = torch.zeros((), device=device)
    with torch.no_grad():
        for images, labels in test_loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            correct += (model(images).argmax(1) == labels).sum()
    print("test accuracy", correct.item() / len(test_set))
    torch.save(model.state_dict(), "birds.pt")
