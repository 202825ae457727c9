import torch
import torch.distributed as dist
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel
from torchvision import models, transforms

URLS = "/data/laion/{00000..01023}.tar"


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank() % 8)
    augment = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    train_set = (
        wds.WebDataset(URLS, resampled=True, nodesplitter=wds.split_by_node)
        .shuffle(5000)
        .decode("pil")
        .to_tuple("jpg", "cls")
        .map_tuple(augment, int)
        .batched(128)
    )
    loader = wds.WebLoader(
        train_set, batch_size=None, num_workers=8, pin_memory=True, persistent_workers=True
    )
    loader = loader.with_epoch(1000)
    model = DistributedDataParallel(models.resnet50().cuda())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(10):
        for step, (images, labels) in enumerate(loader):
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                print(loss.item())


if __name__ == "__main__":
    main()
