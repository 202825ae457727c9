"""transform-shared-by-splits, ineffective-subset-attribute: what the parts of a data set hold."""

from __future__ import annotations

from collections.abc import Callable

from torch.utils.data import Dataset, random_split


class Numbers(Dataset[int]):
    """Applies its transform to each number."""

    def __init__(self, transform: Callable[[int], int]) -> None:
        self.transform = transform

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> int:
        return self.transform(index)


def test_parts_share_their_data_set() -> None:
    first, second = random_split(Numbers(lambda number: 1), [8, 2])
    assert first.dataset is second.dataset
    second.dataset.transform = lambda number: 2  # type: ignore[attr-defined]
    assert first[0] == second[0] == 2


def test_a_subset_reads_no_transform() -> None:
    first, _ = random_split(Numbers(lambda number: 1), [8, 2])
    first.transform = lambda number: 2  # type: ignore[attr-defined]
    assert first[0] == 1
