"""Epochs that train on one loader, and evaluate on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.epochs import is_evaluation, repeating_loops
from dlint.model.loops.evaluated_epochs import is_evaluated_beside_training

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import torch
from torch.utils.data import DataLoader

@torch.no_grad()
def evaluate(model, loader):
    for x in loader:
        model(x)

def fit(model, loader):
    for x in loader:
        model(x).backward()

def validate(model, loader, epoch):
    {test}
        evaluate(model, loader)

def main(model, data, other):
    train, held_out = DataLoader(data), DataLoader(other)
    for epoch in range(9):
        {step}
        {call}
    {after}
"""


def _program(
    test: str = "if loader:",
    step: str = "fit(model, train)",
    call: str = "evaluate(model, held_out)",
    after: str = "pass",
) -> str:
    return PROGRAM.format(test=test, step=step, call=call, after=after)


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        (_program(), True),
        (_program(call="validate(model, held_out, epoch)"), True),
        (_program(call="validate(model, held_out, epoch)", test="if epoch % 5 == 0:"), False),
        (_program(call="if epoch % 5 == 0: evaluate(model, held_out)"), False),
        (
            _program(
                step="fit(model, train); is_due = epoch % 5 == 4",
                call="if data and is_due: evaluate(model, held_out)",
            ),
            False,
        ),
        (_program(step="evaluate(model, train)"), False),
        (_program(step="pass", after="fit(model, train)"), False),
        (_program(step="for x in data: model(x).backward()"), False),
    ],
)
def test_each_epoch_trains_and_evaluates(context: MakeProgram, text: str, beside: bool) -> None:
    loaders = [x for one in context(text)[Loaders].by_call().values() for x in one]
    epochs = [e for x in loaders for e in repeating_loops(x) if is_evaluation(e.batch_loop)]
    assert epochs
    assert {is_evaluated_beside_training(epoch) for epoch in epochs} == {beside}
