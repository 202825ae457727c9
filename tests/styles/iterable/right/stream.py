import gzip
import itertools
import json

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from transformers import AutoModelForMaskedLM, AutoTokenizer


def mine(items):
    info = get_worker_info()
    return items if info is None else itertools.islice(items, info.id, None, info.num_workers)


class Reviews(IterableDataset):
    def __init__(self, path, tokenizer):
        self.path = path
        self.tokenizer = tokenizer

    def __iter__(self):
        with gzip.open(self.path, "rt") as file:
            for line in mine(file):
                text = json.loads(line)["text"]
                yield self.tokenizer(
                    text, truncation=True, max_length=512, padding="max_length", return_tensors="pt"
                )


class Pairs(IterableDataset):
    def __init__(self, pairs):
        self.pairs = [pair for pair in pairs if len(pair) == 2]

    def __iter__(self):
        return mine(iter(self.pairs))


def main():
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    model = AutoModelForMaskedLM.from_pretrained("bert-base-uncased").cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    reviews = DataLoader(
        Reviews("reviews.jsonl.gz", tokenizer),
        batch_size=32,
        num_workers=4,
        pin_memory=True,
        persistent_workers=True,
    )
    pairs = DataLoader(Pairs([(i, i + 1) for i in range(100_000)]), batch_size=256)
    for epoch in range(3):
        for batch in reviews:
            ids = batch["input_ids"].squeeze(1).cuda(non_blocking=True)
            loss = model(input_ids=ids, labels=ids).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for a, b in pairs:
            model.cls(torch.randn(len(a), 768).cuda()).sum().backward()


if __name__ == "__main__":
    main()
