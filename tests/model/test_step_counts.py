"""What a number of steps is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.analyses.written_arguments import positional
from dlint.model.loops.step_counts import counts_of

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
PROGRAM = """
import math
from accelerate import Accelerator
from torch.utils.data import DataLoader

def total(loader, epochs):
    return len(loader) * epochs

def main(data, epochs, accumulated, world_size):
    accelerator = Accelerator()
    loader = DataLoader(data)
    n = len(loader)
    prepared = accelerator.prepare(loader)
    ask({number})

main(None, 1, 2, 3)
"""


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("n", {(True, False, 0)}),
        ("math.ceil(n / accumulated) * epochs", {(True, False, 0)}),
        ("epochs * n * accelerator.num_processes", {(True, False, 1)}),
        ("n // accelerator.num_processes", {(True, False, -1)}),
        ("len(prepared)", {(True, True, 0)}),
        ("total(loader, epochs)", {(True, False, 0)}),
        ("max(1, n)", {(True, False, 0)}),
        ("n + 1", {(True, False, 0)}),
        ("100 if epochs else n", {(False, False, 0), (True, False, 0)}),
        ("epochs", {(False, False, 0)}),
        ("epochs / n", set()),
    ],
)
def test_what_a_number_counts(
    context: MakeProgram, number: str, expected: set[tuple[bool, bool, int]]
) -> None:
    program = context(PROGRAM.replace("{number}", number))
    (call,) = calls_anywhere(program, "ask")
    (asked,) = positional(call)
    found = counts_of(program, asked, program.solver.root(call.scope))
    known = {(c.loader is not None, c.is_divided, c.processes) for c in found if c.is_known}
    assert known == expected
