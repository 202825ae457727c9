"""Batches of token ids and whole numbers, as far as a pinned copy could matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.token_ids import consists_of_ids

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

MAPPED = """
import torch
from datasets import Image, load_dataset
from torch.utils.data import DataLoader
from transformers import AutoImageProcessor, AutoTokenizer
from transformers import DataCollatorForLanguageModeling, default_data_collator
from project import collate, prepare

def prepared(tokenizer):
    processor = AutoImageProcessor.from_pretrained("vit")

    def tokenize(rows):
        return tokenizer(rows["text"])

    def group(rows):
        return {{key: sum(rows[key], []) for key in rows}}

    def see(rows):
        return {{"pixel_values": processor(rows["image"])}}

    data = load_dataset("wikitext")
    {data}
    return data["train"]

def main(model):
    data = prepared(AutoTokenizer.from_pretrained("gpt2"))
    for batch in DataLoader(data{collate}):
        model({{key: value.cuda() for key, value in batch.items()}})
"""

STACKED = ", collate_fn=default_data_collator"


@pytest.mark.parametrize(
    ("data", "collate", "ids"),
    [
        ("data = data.map(tokenize, remove_columns=['text']).map(group)", STACKED, True),
        ("data = data.map(tokenize).remove_columns(['text']).with_format('torch')", "", True),
        ("data = data.map(tokenize).select_columns(['input_ids']).shuffle(1)", STACKED, True),
        ("data = data.map(tokenize)", STACKED, False),
        ("data = data.map(group, remove_columns=['text'])", STACKED, False),
        ("data = data.map(tokenize, remove_columns=['text']).map(see)", STACKED, False),
        ("data = data.map(tokenize, remove_columns=['text']).map(prepare)", STACKED, False),
        ("data = data.map(tokenize, remove_columns=['text']).cast_column('x', Image())", "", False),
        ("data = data.map(tokenize, remove_columns=['text']); data.set_transform(see)", "", False),
        ("data = data.map(tokenize, remove_columns=['text'])", ", collate_fn=collate", False),
        ("data = prepare(data)", ", collate_fn=DataCollatorForLanguageModeling(0)", True),
    ],
)
def test_rows(context: MakeProgram, data: str, collate: str, ids: bool) -> None:
    program = MAPPED.format(data=data, collate=collate)
    ((found,),) = context(program)[Loaders].by_call().values()
    assert consists_of_ids(found, []) is ids


SAMPLES = """
import torch
from torch.utils.data import DataLoader, Dataset, Subset
from transformers import AutoTokenizer

class Data(Dataset):
    def __init__(self, rows, tokenizer):
        self.tokenizer = tokenizer
        self.pairs, self.mixed = [], []
        for row in rows:
            ids = self.padded(row)
            self.pairs.append((torch.tensor(ids, dtype=torch.long), torch.LongTensor(row.next)))
            self.mixed.append((torch.tensor(ids, dtype=torch.long), torch.tensor(row.image)))

    def padded(self, row):
        return [0] * 20 + row

    def __getitem__(self, index):
        x = self.read(index)
        tokens = self.tokenizer(x, return_tensors="pt")
        return {sample}

def collate(samples):
    return torch.stack([sample[0] for sample in samples]), padded(samples)

def padded(samples):
    return torch.LongTensor([sample[1] + [0] * 4 for sample in samples])

def longs(samples):
    first, second = zip(*samples)
    return padded(first), padded(second)

def main(model, rows):
    data = Data(rows, AutoTokenizer.from_pretrained("bert"))
    for batch in DataLoader({loader}):
        model(batch)
"""


@pytest.mark.parametrize(
    ("sample", "loader", "ids"),
    [
        ("self.pairs[index]", "data", True),
        ("self.pairs[index]", "Subset(data, range(9))", True),
        ("self.mixed[index]", "data", False),
        ("x", "data", False),
        ("torch.tensor(x).long(), int(index)", "data", True),
        ("torch.tensor(x, dtype=torch.long)[None].squeeze(0), 1", "data", True),
        ("torch.LongTensor(x).div(255)", "data", False),
        ("torch.tensor(x, dtype=torch.uint8)", "data", False),
        ("torch.tensor(x).long().float()", "data", False),
        ("torch.tensor(x, dtype=torch.float), torch.tensor(0)", "data", False),
        ("tokens['input_ids'].squeeze(0), tokens.attention_mask, torch.tensor(1)", "data", True),
        ("torch.tensor(self.tokenizer.encode(x))", "data", True),
        ("{'input_ids': x, 'labels': x}", "data", True),
        ("{'input_ids': x, 'labels': x, 'text': str(x), 'n': x.long()}", "data", True),
        ("{'input_ids': x, 'pixel_values': x}", "data", False),
        ("{'labels': x}", "data", False),
        ("x", "data, collate_fn=longs", True),
        ("x", "data, collate_fn=collate", False),
    ],
)
def test_samples(context: MakeProgram, sample: str, loader: str, ids: bool) -> None:
    program = SAMPLES.replace("{sample}", sample).replace("{loader}", loader)
    ((found,),) = context(program)[Loaders].by_call().values()
    assert consists_of_ids(found, []) is ids


COPIES = """
from torch.utils.data import DataLoader

def main(model, data):
    for batch in DataLoader(data):
        ids = batch["input_ids"].squeeze(1)
        model({copies})
"""


@pytest.mark.parametrize(
    ("copies", "ids"),
    [
        ("ids.cuda(), batch.attention_mask.cuda(), batch['label'].long().cuda()", True),
        ("ids.cuda(), batch.get('labels').cuda()", True),
        ("batch['labels'].cuda()", False),
        ("ids.cuda(), batch['pixel_values'].cuda()", False),
        ("{key: value.cuda() for key, value in batch.items()}", False),
    ],
)
def test_copies(context: MakeProgram, copies: str, ids: bool) -> None:
    ((found,),) = context(COPIES.format(copies=copies))[Loaders].by_call().values()
    assert found.transfers
    assert consists_of_ids(found, found.transfers) is ids
