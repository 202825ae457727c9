"""Whether the samples of a loader come in one order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.data.endless_iterators import is_endless
from dlint.model.data.shuffled_data import comes_shuffled
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.fixed_order import has_fixed_sampler, is_sampled_alike
from dlint.model.samples.sample_order import has_own_order, is_map_style

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import random

import torch
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset, IterableDataset
from torch.utils.data import RandomSampler, SequentialSampler

class Pictures(Dataset):
    def __init__(self, rows):
        self.rows = rows
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, index):
        return self.rows[index]

class Windows(Pictures):
    pass

class Rows(IterableDataset):
    def __iter__(self):
        while True:
            yield 1

class Order:
    def __init__(self, n):
        self.n = list(range(n))
    def __iter__(self):
        for i in self.n:
            yield i

class Chunk(Order):
    def __init__(self, n, start=0):
        self.n, self.start = n, start
    def __iter__(self):
        return iter(range(self.start, self.start + self.n))

class Kept(Order):
    def __iter__(self):
        return iter(self.n)

class All:
    def __init__(self, data):
        self.data = data
    def __iter__(self):
        for i in range(len(self.data)):
            yield i

class Moved(Chunk):
    def __iter__(self):
        return iter(range(random.randrange(9), self.n))

class Drawn(Order):
    def __iter__(self):
        random.shuffle(self.n)
        return iter(self.n)

class Renewed(Order):
    def __iter__(self):
        return iter(self.m)
    def renew(self):
        self.m = torch.randperm(9).tolist()

def make(rows, own):
    train, test = train_test_split(rows)
    kept, left = train_test_split(rows, shuffle=False)
    return DataLoader({given})
"""


def _loader(context: MakeContext, given: str) -> Loader:
    ((loader,),) = context(TEXT.format(given=given))[Loaders].by_call().values()
    return loader


@pytest.mark.parametrize(
    ("given", "alike", "fixed"),
    [
        ("", True, False),
        (", sampler=None", True, False),
        (", sampler=SequentialSampler(rows)", True, True),
        (", sampler=Order(9)", True, True),
        (", sampler=Chunk(9)", True, True),
        (", sampler=Kept(9)", True, True),
        (", sampler=All(rows)", True, True),
        (", sampler=Moved(9)", False, False),
        (", sampler=Drawn(9)", False, False),
        (", sampler=Renewed(9)", False, False),
        (", sampler=RandomSampler(rows)", False, False),
        (", sampler=own", False, False),
        (", sampler=None if own else Order(9)", True, True),
    ],
)
def test_what_samplers_do(context: MakeContext, given: str, alike: bool, fixed: bool) -> None:
    loader = _loader(context, f"Pictures(rows){given}")
    assert (is_sampled_alike(loader), has_fixed_sampler(loader)) == (alike, fixed)


@pytest.mark.parametrize(
    ("dataset", "by_index", "own_order"),
    [
        ("Pictures(rows)", True, False),
        ("Windows(rows)", True, True),
        ("Rows()", False, False),
        ("own", False, False),
        ("Pictures(rows), batch_size=len(rows)", True, True),
        ("Pictures(rows), batch_size=1", True, False),
    ],
)
def test_what_data_sets_do(
    context: MakeContext, dataset: str, by_index: bool, own_order: bool
) -> None:
    loader = _loader(context, dataset)
    assert (is_map_style(loader), has_own_order(loader)) == (by_index, own_order)


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [("Pictures(train)", True), ("Pictures(kept)", False), ("Pictures(rows)", False)],
)
def test_data_that_was_shuffled(context: MakeContext, dataset: str, expected: bool) -> None:
    assert comes_shuffled(_loader(context, dataset)) is expected


@pytest.mark.parametrize(("dataset", "expected"), [("Rows()", True), ("Pictures(rows)", False)])
def test_iterators_without_end(context: MakeContext, dataset: str, expected: bool) -> None:
    assert is_endless(_loader(context, dataset)) is expected
