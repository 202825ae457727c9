import gzip
import json
import random

import torch
from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoModelForMaskedLM, AutoTokenizer


class Reviews(IterableDataset):  # want: iterable-without-worker-sharding
    def __init__(self, path, tokenizer):
        self.file = gzip.open(path, "rt")  # want: handle-opened-in-init|unpicklable-worker-arguments
        self.tokenizer = tokenizer

    def __iter__(self):
        for line in self.file:
            text = json.loads(line)["text"]
            yield self.tokenizer(text, truncation=True, max_length=512, padding="max_length", return_tensors="pt")


class Lines(IterableDataset):  # want: iterable-without-worker-sharding
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as f:
            for line in f:
                yield torch.tensor([int(x) for x in line.split()][:128])


class Pairs(IterableDataset):
    def __init__(self, pairs):
        self.pairs = (pair for pair in pairs if len(pair) == 2)  # want: one-shot-iterable|unpicklable-worker-arguments

    def __iter__(self):
        return iter(self.pairs)


def main():
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    model = AutoModelForMaskedLM.from_pretrained("bert-base-uncased").cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    reviews = DataLoader(Reviews("reviews.jsonl.gz", tokenizer), batch_size=32, num_workers=4, pin_memory=True, persistent_workers=True)
    lines = DataLoader(Lines("lines.txt"), batch_size=32, shuffle=True, num_workers=4)  # want: exclusive-loader-arguments
    pairs = DataLoader(Pairs([(i, i + 1) for i in range(100_000)]), batch_size=256)
    for epoch in range(3):
        for batch in reviews:
            ids = batch["input_ids"].squeeze(1).cuda()  # want: missing-non-blocking
            loss = model(input_ids=ids, labels=ids).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for a, b in pairs:
            model.cls(torch.randn(len(a), 768).cuda()).sum().backward()
        print(epoch, sum(len(x) for x in lines))


if __name__ == "__main__":
    main()
