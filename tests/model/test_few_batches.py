"""Loops that take few steps in a whole run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.few_batches import is_short, takes_few_steps

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import argparse
from itertools import islice
import pytorch_lightning as pl
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--batches", type=int, default=20)
args = parser.parse_args()

def look(loader, model):
    {repeat}
        for i, x in enumerate(loader):
            if i >= {most}:
                break
            model(x)

def main(data, model):
    loader = DataLoader(data)
    {call}

{start}
"""
CALL, START = "look(loader, model)", "main(data, model)"


def _program(
    most: str = "args.batches", call: str = CALL, start: str = START, repeat: str = "if loader:"
) -> str:
    return PROGRAM.format(most=most, call=call, start=start, repeat=repeat)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (_program(), True),
        (_program(most="20"), True),
        (_program(most="200"), False),
        (_program(most="n"), False),
        (_program(repeat="for _ in range(4):"), True),
        (_program(repeat="for _ in range(40):"), False),
        (_program(repeat="for _ in range(n):"), False),
        (_program(call="for _ in range(9): look(loader, model)"), False),
        (_program(start="for data in found: main(data, model)"), False),
        (_program(most="60", start="main(a, model)\nmain(b, model)"), False),
        (_program(start=""), False),
        (_program(start="def run(data, model):\n    main(data, model)"), False),
    ],
)
def test_loops_that_leave_after_few_batches(context: MakeProgram, text: str, short: bool) -> None:
    analysed = context(text)
    (loop,) = analysed[batch_loops]
    assert is_short(loop) is short
    ((loader,),) = analysed[Loaders].by_call().values()
    assert takes_few_steps(loader) is short


def test_a_default_of_one_batch_is_no_single_batch(context: MakeProgram) -> None:
    analysed = context(_program().replace("default=20", "default=0"))
    ((loader,),) = analysed[Loaders].by_call().values()
    assert loader.is_iterated


def test_what_a_framework_trains_on_takes_many(context: MakeProgram) -> None:
    analysed = context(_program(call=CALL + "\n    pl.Trainer().fit(model, loader)"))
    ((loader,),) = analysed[Loaders].by_call().values()
    assert not takes_few_steps(loader)


COUNTED = """
from torch.utils.data import DataLoader

def importance(data, model):
    seen = 0
    for x, y in DataLoader(data, {size}):
        if seen >= {most}:
            break
        model(x, y).backward()
        seen += x.size(0)

importance(data, None)
"""


@pytest.mark.parametrize(
    ("size", "most", "short"),
    [("32", "100", True), ("32", "3200", False), ("size", "90", True), ("size", "100", False)],
)
def test_a_count_of_samples(context: MakeProgram, size: str, most: str, short: bool) -> None:
    (loop,) = context(COUNTED.format(size=size, most=most))[batch_loops]
    assert is_short(loop) is short


FINDER = """
from torch.utils.data import DataLoader

def find_rate(loader, model, rounds={rounds}):
    batches = iter(loader)
    for i in range(rounds):
        try:
            x = next(batches)
        except StopIteration:
            batches = iter(loader)
            x = next(batches)
        model(x).backward()

def main(data, model):
    loader = DataLoader(data, 64)
    {call}

main(data, model)
"""


@pytest.mark.parametrize(
    ("rounds", "call", "few"),
    [
        ("100", "find_rate(loader, model)", True),
        ("100", "find_rate(loader, model, 5000)", False),
        ("5000", "find_rate(loader, model)", False),
        ("n", "find_rate(loader, model)", False),
        ("100", "for _ in range(90): find_rate(loader, model)", False),
    ],
)
def test_batches_that_are_asked_for_one_by_one(
    context: MakeProgram, rounds: str, call: str, few: bool
) -> None:
    ((loader,),) = context(FINDER.format(rounds=rounds, call=call))[Loaders].by_call().values()
    assert takes_few_steps(loader) is few


def test_a_comprehension_in_a_counting_loop_reads_all(context: MakeProgram) -> None:
    text = "for i in range(9):\n        try: print(i)\n        except E: y = [x for x in loader]"
    ((loader,),) = context(_program(call=text))[Loaders].by_call().values()
    assert not takes_few_steps(loader)
