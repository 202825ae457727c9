"""Samplers of the project that yield lists of indices."""

from __future__ import annotations

import pytest

from dlint.model.samplers.list_samplers import yields_lists
from dlint.semantics.calls.attributes import project_class
from tests.analyses.control.programs import MakeProgram

_HEAD = """import random
import torch
from torch.utils.data import Sampler
class S(Sampler):
    def __init__(self, rows, size):
        self.rows, self.size = rows, size
    def __iter__(self):
"""


def _yields_lists(context: MakeProgram, body: str) -> bool:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    analysed = context(f"{_HEAD}{lines}sampler = S([1, 2], 2)\n")
    (module,) = [f.module for f in analysed.modules]
    (bound,) = module.body.bindings("sampler")
    (value,) = analysed.values(bound.value, module.body)
    assert project_class(value) is not None
    return yields_lists(analysed, value)


@pytest.mark.parametrize(
    "body",
    [
        "for n in range(3):\n    yield self.rows[n : n + 2]",
        "parts = [p.tolist() for p in torch.randperm(9).split(2)]\nfor p in parts:\n    yield p",
        "return iter([[1, 2], [3, 4]])",
        "yield from torch.randperm(9).split(self.size)",
        "yield [n for n in range(self.size)]",
        "batch = []\nfor n in self.rows:\n    batch.append(n)\nyield batch",
        "b = []\nfor n in self.rows:\n    if n:\n        yield b\n        b = []\n    b.append(n)",
        "return iter(random.sample([[1, 2], [3]], 2))",
        "def parts(rows):\n    yield rows[:2]\n    yield rows[2:]\nreturn parts([1, 2, 3])",
    ],
)
def test_lists(context: MakeProgram, body: str) -> None:
    assert _yields_lists(context, body)


@pytest.mark.parametrize(
    "body",
    [
        "return iter(self.rows)",
        "return iter(list(self.rows))",
        "order = list(self.rows)\nrandom.shuffle(order)\nreturn iter(order)",
        "yield from [1, 2]",
        "yield from torch.randperm(9).tolist()",
        "for n in torch.randperm(9):\n    yield n.tolist()",
        "for part in torch.randperm(9).split(2):\n    yield from part.tolist()",
        "yield self.rows[0]",
        "if self.size:\n    yield [1, 2]\nelse:\n    yield 1",
        "return iter(self.rows[: self.size])",
        "return iter(random.sample(self.rows, 2))",
        "def parts(rows):\n    yield rows[:2]\n    yield rows[2]\nreturn parts([1, 2, 3])",
        "b = 0\nfor n in self.rows:\n    if n:\n        yield b\n        b = []",
    ],
)
def test_single_indices_and_what_is_not_known(context: MakeProgram, body: str) -> None:
    assert not _yields_lists(context, body)
