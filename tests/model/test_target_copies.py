"""Copies of targets, beside inputs that are copied without blocking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.target_copies import is_of_targets_alone

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
from torch.utils.data import DataLoader

def train(data, model, criterion, other):
    for x, y in DataLoader(data, num_workers=4, pin_memory=True):
"""
INPUTS = "x = x.cuda(non_blocking=True).float() / 255\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (INPUTS + "out = model(x)\ncriterion(out, y.cuda()).backward()", True),
        (INPUTS + "out = model(x)\ny = y.cuda()\ncriterion(out, y).backward()", True),
        (INPUTS + "out, _ = model(x)\ncriterion(out, y.cuda()).backward()", True),
        (INPUTS + "criterion(model(x), y.cuda()).backward()", True),
        (INPUTS + "n, y = 1, y.cuda()\nout = model(x)\ncriterion(out, y)\nout.eq(y)", True),
        (INPUTS + "y = y.cuda()\nout = model(x)\ncriterion(out, y)\nx.eq(y)", False),
        ("x = x.cuda()\nout = model(x)\ncriterion(out, y.cuda()).backward()", False),
        (INPUTS + "model(x, y.cuda()).backward()", False),
        (INPUTS + "y = y.cuda()\nout = model(x, y)\ncriterion(out, y).backward()", False),
        (INPUTS + "y = y.cuda()\nother.y = y", False),
    ],
)
def test_what_is_compared_alone(context: MakeProgram, body: str, expected: bool) -> None:
    program = context(PROGRAM + indent(body, " " * 8))
    copies = [t for t in program[Loaders].transfers if t.non_blocking is None]
    assert is_of_targets_alone(copies[-1]) is expected
