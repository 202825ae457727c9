"""Which loaders of a project's class never begin an iterator of torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.own_iteration import is_own

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter
from elsewhere import Mixed

class Own({bases}):
{methods}

def train(dataset, model):
    loader = Own(dataset, num_workers=4)
    for epoch in range(9):
        for batch in loader:
            model(batch).backward()
"""

TAKES = """
    def __iter__(self):
        for indices in self.batch_sampler:
            yield self.collate_fn([self.dataset[i] for i in indices])
"""
CALLS = """
    def __iter__(self):
        for batch in super().__iter__():
            yield batch
"""
ENDLESS = """
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.begun = super().__iter__()

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.begun)
"""
BEGINS = """
    def __iter__(self):
        return _MultiProcessingDataLoaderIter(self)
"""
PLAIN = """
    def __len__(self):
        return 5
"""


@pytest.mark.parametrize(
    ("methods", "bases", "expected"),
    [
        (TAKES, "DataLoader", True),
        (TAKES, "Mixed, DataLoader", True),
        (TAKES, "DataLoader, unknown()", False),
        (CALLS, "DataLoader", False),
        (ENDLESS, "DataLoader", False),
        (BEGINS, "DataLoader", False),
        (PLAIN, "DataLoader", False),
    ],
)
def test_a_class_that_goes_through_its_data(
    context: MakeContext, methods: str, bases: str, expected: bool
) -> None:
    ((loader,),) = context(TEXT.format(methods=methods, bases=bases))[Loaders].by_call().values()
    assert is_own(loader.context, loader.made) is expected
    assert loader.workers.is_known is not expected
    assert loader.drops_workers is not expected
    assert loader.is_unpinned is not expected
    assert loader.passes("dataset")
