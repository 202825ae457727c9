"""Texts and graphs, of which nothing else is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.sample_kinds import gives_graphs, gives_rows, gives_texts

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import dgl, torch_geometric.loader
from project import Data, collate
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, DataCollatorWithPadding, default_data_collator
tokenizer = AutoTokenizer.from_pretrained("bert")
padding = DataCollatorWithPadding(tokenizer)
chosen = padding if data_is_long else default_data_collator
data = {data}
loader = {loader}
for batch in loader:
    print(batch)
"""


@pytest.mark.parametrize(
    ("data", "loader", "texts"),
    [
        ("Data(tokenizer)", "DataLoader(data)", True),
        ("Data('train', tok=tokenizer)", "DataLoader(data)", True),
        ("[]", "DataLoader(data, collate_fn=collate(tokenizer, 96))", True),
        ("[]", "DataLoader(data, collate_fn=padding)", True),
        ("[]", "DataLoader(data, collate_fn=chosen)", True),
        ("Data('train')", "DataLoader(data)", False),
        ("Data(tokenizer, images='train')", "DataLoader(data)", False),
        ("Data(tokenizer, audio_folder)", "DataLoader(data)", False),
        ("Data(tokenizer)", "DataLoader(data, collate_fn=collate(transform))", False),
    ],
)
def test_texts(context: MakeProgram, data: str, loader: str, texts: bool) -> None:
    ((found,),) = context(PROGRAM.format(data=data, loader=loader))[Loaders].by_call().values()
    assert gives_texts(found) is texts


@pytest.mark.parametrize(
    ("loader", "graphs"),
    [("torch_geometric.loader.DataLoader(data)", True), ("DataLoader(data)", False)],
)
def test_graphs(context: MakeProgram, loader: str, graphs: bool) -> None:
    ((found,),) = context(PROGRAM.format(data="Data()", loader=loader))[Loaders].by_call().values()
    assert gives_graphs(found) is graphs


ROWS = """
import datasets
from datasets import DatasetDict, load_dataset
from torch.utils.data import DataLoader
from project import split, collate

def main(model):
    {data}
    for batch in {loader}:
        model(batch)
"""


@pytest.mark.parametrize(
    ("data", "loader", "rows"),
    [
        ("data = DatasetDict.load_from_disk('yelp')", "DataLoader(data['train'])", True),
        ("data = load_dataset('yelp').map(split)['train']", "DataLoader(data)", True),
        ("data = load_dataset('yelp')['train'].with_format('torch')", "DataLoader(data)", True),
        ("data = load_dataset('yelp')['train']", "DataLoader(data, collate_fn=collate)", False),
        ("data = load_dataset('yelp').with_transform(split)['train']", "DataLoader(data)", False),
        ("data = load_dataset('yelp')\n    data.set_transform(split)", "DataLoader(data)", False),
        ("data = split(load_dataset('yelp')['train'])", "DataLoader(data)", False),
    ],
)
def test_rows(context: MakeProgram, data: str, loader: str, rows: bool) -> None:
    ((found,),) = context(ROWS.format(data=data, loader=loader))[Loaders].by_call().values()
    assert gives_rows(found) is rows
