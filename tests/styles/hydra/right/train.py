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
        total = torch.zeros((), device="cuda")
        for images, labels in train_loader:
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        history.append(total.item())
        model.eval()
        print(epoch, evaluate(model, val_loader))
    print("test", evaluate(model, test_loader))


@torch.no_grad()
def evaluate(model, loader):
    correct = torch.zeros((), device="cuda")
    for images, labels in loader:
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        correct += (model(images).argmax(1) == labels).sum()
    return correct.item() / len(loader.dataset)


if __name__ == "__main__":
    main()
