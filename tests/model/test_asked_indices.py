"""Whether data sets are asked for single indices, or for lists of them."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.asked_indices import asks_for_numbers
from tests.analyses.control.programs import MakeProgram

_HEAD = """from own import Mine
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset
data = TensorDataset()
for batch in DataLoader(data, {given}):
    print(batch)
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("64", True),
        ("batch_size=None", True),
        ("batch_size=None, sampler=RandomSampler(data)", True),
        ("batch_size=None, sampler=BatchSampler(RandomSampler(data), 64, False)", False),
        ("batch_size=None, sampler=Mine(data)", False),
        ("64, sampler=Mine(data)", True),
        ("batch_sampler=BatchSampler(RandomSampler(data), 64, False)", True),
    ],
)
def test_what_is_asked_for(context: MakeProgram, given: str, expected: bool) -> None:
    analysed = context(_HEAD.format(given=given))
    ((loader,),) = analysed[Loaders].by_call().values()
    assert asks_for_numbers(loader) is expected
