"""A table that is in memory, read by workers that cost more than they help."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(values, labels):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rows = TensorDataset(values, labels)
    model = nn.Linear(16, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(rows, batch_size=4, shuffle=True, num_workers=2)
    for epoch in range(5):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main(torch.arange(320000.0).reshape(20000, 16) / 320000, torch.arange(20000) % 2)
