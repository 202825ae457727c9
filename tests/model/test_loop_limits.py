"""How many batches a loop reads at most."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.loop_limits import (
    ends_every_round,
    most_batches,
    most_samples,
    takes_every_batch,
)

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
from itertools import islice
from torch.utils.data import DataLoader

def look(data, model, n):
    loader = DataLoader(data)
    {loop}
"""


@pytest.mark.parametrize(
    ("loop", "most"),
    [
        ("for x in loader: model(x)", None),
        ("for x in loader: break", 1),
        ("for x in loader: return model(x)", 1),
        ("for x in islice(loader, 5): model(x)", 5),
        ("for x in islice(loader, n): model(x)", None),
        ("few = islice(loader, 5)\n    for x in few: model(x)", 5),
        ("few = islice(loader, 5)\n    for x in zip(few, data): model(x)", 5),
        ("for i, x in enumerate(loader):\n        if i == 3: break", 4),
        ("for i, x in enumerate(loader):\n        if i > 3: return x", 5),
        ("all = enumerate(loader)\n    for i, x in all:\n        if i > 3: return x", 5),
        ("for i, x in enumerate(loader, 1):\n        if i > 3: return x", None),
        ("for i, x in enumerate(loader):\n        if i > n: break", None),
        ("for i, x in enumerate(loader):\n        if i > 3: print(x)", None),
        ("for i, x in enumerate(loader):\n        if x > 3: break", None),
        ("for i, x in enumerate(loader):\n        if i > 0: raise ValueError(i)", 2),
        ("for i, x in enumerate(loader):\n        assert i < 1\n        model(x)", 1),
        ("for i, x in enumerate(loader):\n        assert i < 1, 'one batch'", 1),
        ("for i, x in enumerate(loader):\n        assert i == 0", 1),
        ("for i, x in enumerate(loader):\n        assert i <= 1", 2),
        ("for i, x in enumerate(loader):\n        i < 1", None),
        ("for i, x in enumerate(loader):\n        assert i > 0", None),
        ("for i, x in enumerate(loader):\n        assert i < n", None),
        ("for i, x in enumerate(loader):\n        assert x < 1", None),
        ("for i, x in enumerate(loader):\n        if x: assert i < 1", None),
        ("i = 0\n    for x in loader:\n        assert i < 1\n        i += 1", 1),
        ("i = 0\n    for x in loader:\n        i += 1\n        if i >= 3: break", 4),
        ("i = 0\n    for x in loader:\n        if x: i += 1\n        if i >= 3: break", None),
        ("i = n\n    for x in loader:\n        i += 1\n        if i >= 3: break", None),
        (
            "i = 0\n    for x in loader:\n        i += 1\n        i = x\n        if i == 3: break",
            None,
        ),
    ],
)
def test_the_most_batches_of_a_loop(context: MakeProgram, loop: str, most: int | None) -> None:
    (found,) = context(PROGRAM.format(loop=loop))[batch_loops]
    assert most_batches(found) == most


COUNT = "k = 0\n    for x, y in loader:\n        if k {test}: break\n        {head}k += {added}"


@pytest.mark.parametrize(
    ("test", "head", "added", "most"),
    [
        (">= 100", "", "x.size(0)", 100),
        ("> 100", "", "y.shape[0]", 101),
        (">= 100", "", "len(y)", 100),
        (">= 100", "x = x.cuda(); ", "x.size(0)", 100),
        (">= 100", "rows = len(x); ", "rows", 100),
        (">= 100", "", "x.size(1)", None),
        (">= 100", "", "model(x).size(0)", None),
        (">= 100", "if x: ", "x.size(0)", None),
        ("== 100", "", "x.size(0)", None),
        (">= 100", "", "1", None),
    ],
)
def test_the_most_samples_of_a_loop(
    context: MakeProgram, test: str, head: str, added: str, most: int | None
) -> None:
    loop = COUNT.format(test=test, head=head, added=added)
    (found,) = context(PROGRAM.format(loop=loop))[batch_loops]
    assert most_samples(found) == most


def test_the_length_of_a_whole_batch_counts_its_parts(context: MakeProgram) -> None:
    loop = "k = 0\n    for x in loader:\n        k += len(x)\n        if k >= 9: break"
    (found,) = context(PROGRAM.format(loop=loop))[batch_loops]
    assert most_samples(found) is None


@pytest.mark.parametrize(
    ("loop", "iterated"),
    [
        ("for x in loader: break", False),
        ("for _ in range(n):\n        for x in loader: break", True),
        ("for x in islice(loader, 5): model(x)", True),
    ],
)
def test_one_batch_is_no_loop(context: MakeProgram, loop: str, iterated: bool) -> None:
    groups = context(PROGRAM.format(loop=loop))[Loaders].by_call().values()
    (loader,) = next(iter(groups))
    assert loader.is_iterated is iterated


@pytest.mark.parametrize(
    ("body", "every_round", "every_batch"),
    [
        ("model(x)", True, True),
        ("if x: continue", False, False),
        ("if x: break", False, False),
        ("if x: return x", False, False),
        ("if n.debug: break", False, True),
    ],
)
def test_whether_batches_are_passed_over(
    context: MakeProgram, body: str, every_round: bool, every_batch: bool
) -> None:
    (found,) = context(PROGRAM.format(loop=f"for x in loader:\n        {body}"))[batch_loops]
    assert (ends_every_round(found), takes_every_batch(found)) == (every_round, every_batch)


def test_one_batch_is_not_all(context: MakeProgram) -> None:
    (found,) = context(PROGRAM.format(loop="return next(iter(loader))"))[batch_loops]
    assert not ends_every_round(found)
    assert not takes_every_batch(found)
