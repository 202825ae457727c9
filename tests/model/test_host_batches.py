"""Batches that stay on the host, and collate functions that only gather."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.host_batches import only_gathers, stays_on_host

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

LOOP = """
from torch.utils.data import DataLoader
import numpy as np

def write(data, kept, model, helper):
    for x, y in DataLoader(data):
"""


def _loader(context: AnalysisContext) -> Loader:
    return next(iter(context[Loaders].by_call().values()))[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("kept[0] = x.numpy()\nkept[1] = y.numpy().reshape(-1)", True),
        ("kept.append(x.numpy())\nprint(len(y))", True),
        ("x = x.numpy()\nnp.save('a', x)", True),
        ("rows = x.numpy().reshape(len(y), -1)\nkept.append(rows)", True),
        ("rows = x.reshape(len(y), -1)\nkept.append(rows)", False),
        ("print(len(y))", False),
        ("kept.append(x.numpy())\nhelper(y)", False),
        ("kept.append(x.numpy())\nmodel(y.cuda())", False),
        ("kept.append(x.numpy())\nkept[0] = y", False),
        ("yield x.numpy()", False),
    ],
)
def test_batches_that_stay(context: MakeProgram, body: str, expected: bool) -> None:
    loader = _loader(context(LOOP + indent(body, " " * 8)))
    assert stays_on_host(loader) is expected


COLLATE = """
import torch
from torch.utils.data import DataLoader

def collate(batch):
    {body}

for x in DataLoader(data, collate_fn={given}):
    print(x)
"""


@pytest.mark.parametrize(
    ("body", "given", "expected"),
    [
        ("return [b['image'] for b in batch], tuple(zip(*batch))", "collate", True),
        ("found = []; found.append(batch[0]); return found", "collate", True),
        ("return torch.stack(batch)", "collate", False),
        ("return unknown(batch)", "collate", False),
        ("return batch", "None", False),
        ("return batch", "unknown", False),
    ],
)
def test_what_only_gathers(context: MakeProgram, body: str, given: str, expected: bool) -> None:
    assert only_gathers(_loader(context(COLLATE.format(body=body, given=given)))) is expected
