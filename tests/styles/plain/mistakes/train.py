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


class Birds(Dataset):
    def __init__(self, root, transform):
        self.transform = transform
        self.labels = []
        self.images = []
        self.classes = sorted(os.listdir(root))
        for index, name in enumerate(self.classes):
            for path in glob.glob(os.path.join(root, name, "*.jpg")):
                self.images.append(Image.open(path).convert("RGB"))  # want: eager-load-in-init
                self.labels.append(index)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


class Folder(Dataset):
    def __init__(self, root, transform):
        self.paths = sorted(glob.glob(os.path.join(root, "*", "*.jpg")))
        names = sorted(os.listdir(root))
        self.labels = [names.index(os.path.basename(os.path.dirname(p))) for p in self.paths]
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = Image.open(self.paths[index]).convert("RGB")
        return self.transform(image), self.labels[index]


augment = transforms.Compose(
    [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
)

if __name__ == "__main__":
    train_set = Folder(f"{DATA}/train", augment)
    val_set = Folder(f"{DATA}/val", augment)
    test_set = Birds(f"{DATA}/test", transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()]))
    train_loader = DataLoader(train_set, batch_size=64)  # want: zero-workers, missing-shuffle
    val_loader = DataLoader(val_set, batch_size=64, num_workers=4, drop_last=True)  # want: dropped-eval-samples, random-transform-in-eval
    test_loader = DataLoader(test_set, batch_size=64)

    model = models.resnet50(num_classes=len(test_set.classes)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-4)
    losses = []
    for epoch in range(EPOCHS):
        model.train()
        running = 0.0
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            running += loss  # want: loss-history-kept
            losses.append(loss)  # want: loss-history-kept
        print(f"epoch {epoch}: {running / len(train_loader):.4f}")

        model.eval()
        correct = 0
        with torch.no_grad():
            for images, labels in val_loader:
                images, labels = images.to(device), labels.to(device)
                correct += (model(images).argmax(1) == labels).sum().item()
        print("val accuracy", correct / len(val_set))

    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in test_loader:
            correct += (model(images.to(device)).argmax(1) == labels.to(device)).sum().item()
    print("test accuracy", correct / (len(test_loader) * 64))  # want: eval-sample-count
    torch.save(model.state_dict(), "birds.pt")
