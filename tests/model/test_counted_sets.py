"""Which loaders go through what a length counts, and whether a loop leaves batches unread."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.counted_sets import drawing_indices
from dlint.model.loops.summed_batches import stops_at_number

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from torch.utils.data import DataLoader, SubsetRandomSampler, RandomSampler

def run(dataset, held, other, flag):
    part = held
    loader = DataLoader(dataset, sampler={sampler})
    for step, batch in enumerate(loader):
        {body}
    return len(part)
"""


@pytest.mark.parametrize(
    ("sampler", "found"),
    [
        ("SubsetRandomSampler(held)", True),
        ("SubsetRandomSampler(indices=part)", True),
        ("SubsetRandomSampler(other)", False),
        ("SubsetRandomSampler(held[9:])", False),
        ("SubsetRandomSampler(held) if flag else None", False),
        ("RandomSampler(held)", False),
        ("None", False),
    ],
)
def test_loaders_by_their_indices(context: MakeContext, sampler: str, found: bool) -> None:
    analysed = context(TEXT.format(sampler=sampler, body="print(batch)"))
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (counted,) = [c for s in scopes for c in s.calls if c.name == "len"]
    whole: ex.Expression = counted.arguments[0].value
    assert bool(drawing_indices(analysed, whole, counted.scope)) is found


@pytest.mark.parametrize(
    ("body", "stops"),
    [
        ("print(batch)", False),
        ("print(batch); break", True),
        ("if step == 9: break", True),
        ("if flag: break", False),
        ("for part in batch: break", False),
    ],
)
def test_loops_that_leave_batches(context: MakeContext, body: str, stops: bool) -> None:
    (loop,) = context(TEXT.format(sampler="None", body=body))[batch_loops]
    assert stops_at_number(loop) is stops
