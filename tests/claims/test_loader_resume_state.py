"""What a loader of torch keeps of its place in the data: nothing."""

from __future__ import annotations

from itertools import islice

from torch.utils.data import DataLoader

DATA = list(range(8))


def test_a_loader_has_no_state() -> None:
    loader = DataLoader(DATA)  # type: ignore[arg-type]
    assert not hasattr(loader, "state_dict")
    assert not hasattr(iter(loader), "state_dict")


def test_a_new_iterator_begins_at_the_first_batch() -> None:
    loader = DataLoader(DATA)  # type: ignore[arg-type]
    seen = [int(batch) for batch in islice(loader, 3)]
    resumed = [int(batch) for batch in islice(loader, 3)]
    assert seen == resumed == [0, 1, 2]
    assert [int(batch) for batch in islice(loader, 3, 6)] == [3, 4, 5]
