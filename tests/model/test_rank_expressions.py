"""Which tests one rank alone passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.analyses.written_arguments import positional
from dlint.model.ranks.rank_expressions import is_one_rank

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
PROGRAM = """
import os
import torch.distributed as dist
from torch.utils.data import DataLoader

loader = DataLoader([1])

def is_main():
    if not dist.is_initialized():
        return True
    return dist.get_rank() == 0

def main(args, first):
    rank = int(os.environ["RANK"])
    is_first = rank == 0
    ask({test})

main(None, True)
"""


@pytest.mark.parametrize(
    ("test", "truth", "expected"),
    [
        ("rank == 0", True, True),
        ("rank == 0", False, False),
        ("rank != 0", False, True),
        ("not rank", True, True),
        ("not (rank != 0)", True, True),
        ("is_first", True, True),
        ("is_main()", True, True),
        ("not is_main()", False, True),
        ("rank == 0 and args.evaluate", True, True),
        ("rank == 0 or args.evaluate", True, False),
        ("rank != 0 or args.skip", False, True),
        ("args.local_rank in [-1, 0]", True, True),
        ("rank == dist.get_world_size() - 1", True, False),
        ("rank >= 0", True, False),
        ("args.local_rank == -1", True, False),
        ("args.local_rank != -1", False, False),
        ("first", True, False),
        ("True", True, False),
    ],
)
def test_who_passes_a_test(context: MakeProgram, test: str, truth: bool, expected: bool) -> None:
    program = context(PROGRAM.replace("{test}", test))
    (call,) = calls_anywhere(program, "ask")
    (asked,) = positional(call)
    root = program.solver.root(call.scope)
    assert is_one_rank(program, asked, root, truth=truth) is expected
