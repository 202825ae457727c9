"""shuffle-with-sampler: torch refuses both."""

from __future__ import annotations

import pytest
from torch.utils.data import DataLoader, RandomSampler, SubsetRandomSampler

ROWS = list(range(8))


@pytest.mark.parametrize("sampler", [RandomSampler(ROWS), SubsetRandomSampler(ROWS), ROWS])
def test_the_constructor_raises(sampler: object) -> None:
    with pytest.raises(ValueError, match="sampler option is mutually exclusive with shuffle"):
        DataLoader(ROWS, shuffle=True, sampler=sampler)


def test_a_sampler_alone_or_without_shuffling_is_taken() -> None:
    assert len(list(DataLoader(ROWS, shuffle=False, sampler=RandomSampler(ROWS)))) == len(ROWS)
    assert len(list(DataLoader(ROWS, shuffle=True, sampler=None))) == len(ROWS)
