import torch
import torch.distributed as dist
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torchvision import models, transforms

URLS = "/data/laion/{00000..01023}.tar"


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank() % 8)
    augment = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    train_set = (
        wds.WebDataset(URLS)  # want: stream-library-setup
        .decode("pil")
        .to_tuple("jpg", "cls")
        .map_tuple(augment, int)
    )
    loader = DataLoader(train_set, batch_size=128, num_workers=8)  # want: missing-pin-memory
    model = DistributedDataParallel(models.resnet50().cuda())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    seen = []
    for epoch in range(10):
        for images, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.append(loss)  # want: loss-history-kept


if __name__ == "__main__":
    main()
