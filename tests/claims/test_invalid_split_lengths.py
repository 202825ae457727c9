"""invalid-split-lengths: torch refuses what does not come to the length of the data."""

from __future__ import annotations

import pytest
from torch.utils.data import random_split

from dlint.library_facts.passthrough import refuses_lengths


@pytest.mark.parametrize(
    ("lengths", "size", "refused"),
    [
        ([80, 21], 101, False),
        ([80, 20], 101, True),
        ([0.8, 0.2], 101, False),
        ([0.7, 0.2, 0.1], 101, False),
        ([0.7, 0.2, 0.2], 101, True),
        ([0.8, 0.1], 101, True),
        ([1.5, -0.5], 101, True),
        ([80.0, 21.0], 101, True),
        ([2.0], 2, True),
        ([0.3, 0.3, 0.3], 101, True),
    ],
)
def test_random_split_wants_the_whole(lengths: list[float], size: int, refused: bool) -> None:
    assert refuses_lengths(lengths, size) is refused
    if not refused:
        assert sum(map(len, random_split(range(size), lengths))) == size  # type: ignore[arg-type]
        return
    with pytest.raises((ValueError, TypeError)):
        random_split(range(size), lengths)  # type: ignore[arg-type]


def test_two_parts_rounded_down_are_right_for_one_length_in_five() -> None:
    right = [n for n in range(1, 101) if int(0.8 * n) + int(0.2 * n) == n]
    assert right == list(range(5, 101, 5))
