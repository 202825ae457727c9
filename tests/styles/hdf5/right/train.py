import h5py
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None
        with h5py.File(path, "r") as file:
            self.length = len(file["labels"])

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        x = np.log1p(self.file["spectra"][index])
        return torch.from_numpy(x).float(), int(self.file["labels"][index])


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r") as file:
            self.length = len(file["volumes"])

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        with h5py.File(self.path, "r") as file:
            volume, mask = file["volumes"][index], file["masks"][index]
        if np.random.rand() < 0.5:
            volume, mask = volume[::-1].copy(), mask[::-1].copy()
        return torch.from_numpy(volume), torch.from_numpy(mask)


def main():
    device = torch.device("cuda")
    options = dict(shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    spectra = DataLoader(Spectra("spectra.h5"), batch_size=512, **options)
    volumes = DataLoader(Volumes("volumes.h5"), batch_size=4, **options)
    model = nn.Sequential(nn.Linear(4096, 512), nn.ReLU(), nn.Linear(512, 10)).to(device)
    net = nn.Conv3d(1, 1, 3, padding=1).to(device)
    optimizer = torch.optim.Adam([*model.parameters(), *net.parameters()])
    for epoch in range(100):
        for x, y in spectra:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for volume, mask in volumes:
            volume = volume.to(device, non_blocking=True)
            mask = mask.to(device, non_blocking=True)
            loss = nn.functional.mse_loss(net(volume[:, None])[:, 0], mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
