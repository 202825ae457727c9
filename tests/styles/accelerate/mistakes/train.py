import torch
from accelerate import Accelerator
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms
from transformers import get_linear_schedule_with_warmup


class Photos(Dataset):
    def __init__(self, lines, transform):
        self.samples = [line.split() for line in lines]
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, label = self.samples[index]
        with Image.open(path) as image:
            return self.transform(image.convert("RGB")), int(label)


def loaders(batch_size):
    transform = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])
    with open("train.txt") as f:
        train = Photos(f.readlines(), transform)
    with open("val.txt") as f:
        val = Photos(f.readlines(), transform)
    train_loader = DataLoader(train, batch_size=batch_size, shuffle=True)  # want: zero-workers
    val_loader = DataLoader(val, batch_size=batch_size, num_workers=4)  # want: missing-persistent-workers
    return train_loader, val_loader


def main(epochs=20):
    accelerator = Accelerator(mixed_precision="fp16")
    model = models.resnet50()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    train_loader, val_loader = loaders(64)
    steps = len(train_loader) * epochs  # want: length-before-prepare
    scheduler = get_linear_schedule_with_warmup(optimizer, 500, steps)
    model, optimizer, train_loader, val_loader = accelerator.prepare(
        model, optimizer, train_loader, val_loader
    )
    criterion = torch.nn.CrossEntropyLoss()
    losses = []
    for epoch in range(epochs):
        model.train()
        for images, labels in train_loader:
            loss = criterion(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            losses.append(loss)  # want: loss-history-kept
            print(f"loss {loss.item():.4f}")  # want: host-sync-in-loop

        model.eval()
        correct, total = 0, 0
        for images, labels in val_loader:
            with torch.no_grad():
                prediction = model(images).argmax(1)
            prediction, labels = accelerator.gather((prediction, labels))  # want: eval-sample-count
            correct += (prediction == labels).sum().item()
            total += len(labels)
        accelerator.print(f"epoch {epoch}: {correct / total:.3f}")


if __name__ == "__main__":
    main()
