"""Who may set the epoch of a distributed sampler."""

from __future__ import annotations

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.samplers.distributed_samplers import distributed_samplers
from tests.conftest import MakeProgram

DATA = """
    from torch.utils.data import DataLoader, DistributedSampler

    class Feed:
        def __init__(self, rows):
            self.loader = DataLoader(rows, sampler=DistributedSampler(rows))
"""


@pytest.mark.parametrize(
    ("train", "is_set"),
    [
        ("from data import Feed\nFeed([1]).loader.sampler.set_epoch(1)\n", True),
        ("from data import Feed\nnext(iter(Feed([1]).loader))\n", False),
        ("from other import Feed\nFeed([1]).loader.sampler.set_epoch(1)\n", False),
    ],
)
def test_other_modules_of_one_that_is_looked_at_by_itself(
    context: MakeProgram, train: str, is_set: bool
) -> None:
    project = context({"a/data.py": DATA, "b/train.py": train}).project
    path = next(p for p in project.files if p.endswith("data.py"))
    alone = AnalysisContext(project.unlinked(), [path])
    assert [s.may_be_set_unseen for s in alone[distributed_samplers]] == [is_set]
