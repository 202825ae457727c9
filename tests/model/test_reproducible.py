"""What a program does to get the same batches again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.reproducible import is_seeded_before

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("torch.manual_seed(0)", True),
        ("seed_everything(0)", True),
        ("if own: torch.manual_seed(0)", True),
        ("own and torch.manual_seed(0)", False),
        ("random.seed(0)", False),
        ("pass", False),
    ],
)
def test_a_loop_behind_a_seed(context: MakeContext, before: str, expected: bool) -> None:
    (loop,) = context(
        "import random, torch\nfrom lightning.pytorch import seed_everything\n"
        "from torch.utils.data import DataLoader\n"
        f"def look(data, own):\n    {before}\n    for x in DataLoader(data):\n        print(x)\n"
    )[batch_loops]
    assert is_seeded_before(loop) is expected


def test_a_module_seeds_once(context: MakeContext) -> None:
    (loop,) = context(
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "torch.manual_seed(0)\nfor x in DataLoader([1]):\n    print(x)\n"
    )[batch_loops]
    assert not is_seeded_before(loop)
