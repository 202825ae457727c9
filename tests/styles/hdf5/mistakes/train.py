import h5py
import numpy as np
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")  # want: handle-opened-in-init
        self.x = self.file["spectra"]
        self.y = self.file["labels"]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        x = np.log1p(self.x[index])
        return torch.from_numpy(x).float(), int(self.y[index])


class Volumes(Dataset):
    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.volumes = file["volumes"][:]  # want: eager-load-in-init
            self.masks = file["masks"][:]

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        if np.random.rand() < 0.5:
            volume, mask = self.volumes[index][::-1], self.masks[index][::-1]
        else:
            volume, mask = self.volumes[index], self.masks[index]
        return torch.from_numpy(volume), torch.from_numpy(mask)  # want: negative-stride-sample


class Patches(Dataset):
    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r") as file:
            self.keys = [key for key in file]

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        with h5py.File(self.path, "r") as file:
            patch = file[self.keys[index]][()]
        patch -= patch.mean()
        return torch.from_numpy(patch).float()


def main():
    device = torch.device("cuda")
    spectra = DataLoader(Spectra("spectra.h5"), batch_size=512, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    volumes = DataLoader(Volumes("volumes.h5"), batch_size=4, shuffle=True, num_workers=4)  # want: missing-pin-memory, missing-persistent-workers
    patches = DataLoader(Patches("patches.h5"), batch_size=64, shuffle=True)  # want: zero-workers
    model = nn.Sequential(nn.Linear(4096, 512), nn.ReLU(), nn.Linear(512, 10)).to(device)
    net = nn.Conv3d(1, 1, 3, padding=1).to(device)
    encoder = nn.Conv2d(3, 64, 3).to(device)
    parameters = [*model.parameters(), *net.parameters(), *encoder.parameters()]
    optimizer = torch.optim.Adam(parameters)
    for epoch in range(100):
        for x, y in spectra:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))  # want: missing-non-blocking
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for volume, mask in volumes:
            out = net(volume[:, None].to(device))[:, 0]
            loss = nn.functional.mse_loss(out, mask.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for patch in patches:
            loss = encoder(patch.to(device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
