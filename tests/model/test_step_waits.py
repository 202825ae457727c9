"""Loops that wait for the GPU in every step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.step_waits import waits_in_round

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import torch
from torch.utils.data import DataLoader

def run(data, model, opt, found):
    for i, (x, y) in enumerate(DataLoader(data, pin_memory=True)):
        out = model(x.cuda())
"""


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ("found.append(out)", False),
        ("found.append(out.cpu())", True),
        ("found += out.argmax(1).tolist()", True),
        ("torch.cuda.synchronize()", True),
        ("if i % 10 == 0:\n    print(out.sum().item())", False),
        ("print(y.sum().item())", False),
        ("found.append(y.cuda().sum().item())", True),
        ("out.backward()\nprint(out.item())", True),
        ("if i:\n    continue\nprint(out.item())", True),
        ("print(out.item())\nout.backward()", True),
        ("print(out)\nout.backward()", True),
        ("print(i)\nout.backward()", False),
        ("found.append(float(out.detach()))\nout.backward()", True),
        ("found.append(out.numpy())", False),
        ("loss = y.sum() + out\nloss.backward()\nprint(loss.item())", True),
    ],
)
def test_a_step_that_waits(context: MakeProgram, body: str, waits: bool) -> None:
    (loop,) = context(PROGRAM + indent(body, " " * 8))[batch_loops]
    assert waits_in_round(loop) is waits
