import hydra
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig
from torchvision.models import resnet34


@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg: DictConfig) -> None:
    torch.manual_seed(cfg.seed)
    train_set = instantiate(cfg.data.dataset, split="train")
    val_set = instantiate(cfg.data.dataset, split="val")
    test_set = instantiate(cfg.data.dataset, split="test")
    train_loader = instantiate(cfg.data.train_loader, dataset=train_set)
    val_loader = instantiate(cfg.data.val_loader, dataset=val_set)
    test_loader = instantiate(cfg.data.test_loader, dataset=test_set)
    model = resnet34(num_classes=102).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    criterion = torch.nn.CrossEntropyLoss()
    history = []
    for epoch in range(cfg.epochs):
        model.train()
        total = 0
        for images, labels in train_loader:
            images, labels = images.cuda(), labels.cuda()
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss  # want: loss-history-kept
        history.append(float(total))
        model.eval()
        print(epoch, evaluate(model, val_loader))
    print("test", evaluate(model, test_loader))


@torch.no_grad()
def evaluate(model, loader):
    correct = 0
    for images, labels in loader:
        images, labels = images.cuda(), labels.cuda()
        correct += (model(images).argmax(1) == labels).sum().item()
    return correct / len(loader.dataset)


if __name__ == "__main__":
    main()
