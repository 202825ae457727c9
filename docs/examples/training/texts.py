"""Texts of different lengths in short epochs, each of which starts its workers anew."""

import time

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    """Tokens of texts with five to forty words."""

    def __len__(self):
        return 160

    def __getitem__(self, index):
        time.sleep(0.001)
        return torch.arange(5 + index % 36) + 1, index % 2


def padded(samples):
    tokens, labels = zip(*samples)
    return pad_sequence(tokens, batch_first=True), torch.tensor(labels)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.EmbeddingBag(64, 16, padding_idx=0), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Texts(), batch_size=16, shuffle=True, num_workers=2, collate_fn=padded)
    for epoch in range(100):
        for tokens, labels in loader:
            loss = nn.functional.cross_entropy(model(tokens), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
