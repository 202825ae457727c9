"""Where in a batch a copied value lies."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samples import batch_parts
from dlint.model.transfers.transfers import Transfer

MakeContext = Callable[[str], AnalysisContext]

TEXT = """
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __getitem__(self, index):
        return torch.ones(3)

def unpack(batch):
    return batch["image"]

class Trainer:
    def __init__(self, loader):
        self.loader = loader

    def run(self):
        loader = DataLoader(Rows())
        self.kept = loader
{body}
"""


def _transfer(context: MakeContext, body: str) -> Transfer:
    analysed = context(TEXT.format(body=indent(body, " " * 8)))
    (found,) = analysed[Loaders].transfers
    return found


@pytest.mark.parametrize(
    ("body", "leaf", "whole", "lone"),
    [
        ("for b in loader:\n    b.cuda()", False, True, False),
        ("for i, b in enumerate(loader):\n    b.cuda()", False, True, False),
        ("for x, y in loader:\n    x.cuda()", False, False, False),
        ("for i, (x, y) in enumerate(loader):\n    x.cuda()", False, False, False),
        ("for b in loader:\n    b['x'].cuda()", True, False, False),
        ("for b in loader:\n    b.x.cuda()", True, False, False),
        ("for b in loader:\n    for part in b:\n        part.cuda()", True, False, False),
        ("for b in self.kept:\n    b.cuda()", False, True, False),
        ("for b in self.kept:\n    b[0].cuda()", True, False, False),
        ("for b in loader:\n    x = unpack(b)\n    x.cuda()", True, False, False),
        ("for b in loader:\n    x = b.view(3)\n    x.cuda()", False, False, False),
        ("b = next(iter(loader))\nb.cuda()", False, False, True),
        ("b = next(iter(loader))\nx = b['x']\nx.cuda()", False, False, True),
        ("while True:\n    b = next(iter(loader))\n    b.cuda()", False, False, False),
    ],
)
def test_parts(context: MakeContext, body: str, leaf: bool, whole: bool, lone: bool) -> None:
    transfer = _transfer(context, body)
    assert batch_parts.is_leaf(transfer) is leaf
    assert batch_parts.is_whole(transfer) is whole
    assert batch_parts.copies_once(transfer) is lone


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("for b in loader:\n    b.cuda()", None),
        ("for i, b in enumerate(loader):\n    b.cuda()", None),
        ("for x, y in loader:\n    y.cuda()", 1),
        ("for i, (x, y) in enumerate(loader):\n    x.cuda()", 0),
        ("for x, *y in loader:\n    y[0].cuda()", None),
        ("for *x, y in loader:\n    y.cuda()", None),
        ("for b in loader:\n    b['x'].cuda()", "x"),
        ("for b in loader:\n    b['x'].data.cuda()", "x"),
        ("for b in loader:\n    b.x.cuda()", None),
        ("for b in loader:\n    x = unpack(b)\n    x.cuda()", "image"),
        ("for b in loader:\n    for part in b[1]:\n        part.cuda()", 1),
        ("for b in loader:\n    x = b[0] if b else b[1]\n    x.cuda()", None),
        ("for b in loader:\n    x = b[0] if b else None\n    x.cuda()", 0),
        ("for x, y in every(loader):\n    x.cuda()", 0),
        ("for i, x in counted(loader):\n    x.cuda()", None),
        ("x, y = next(iter(loader))\nx.cuda()", 0),
        ("self.x = None\nself.x, y = next(iter(loader))\nself.x = self.x.cuda()", 0),
    ],
)
def test_keys(context: MakeContext, body: str, key: str | int | None) -> None:
    generators = """
def every(batches):
    for one in batches:
        yield one

def counted(batches):
    number = 0
    for one in batches:
        yield number, one
        number += 1
"""
    analysed = context(generators + TEXT.format(body=indent(body, " " * 8)))
    (transfer,) = analysed[Loaders].transfers
    assert batch_parts.key_of(transfer) == key
