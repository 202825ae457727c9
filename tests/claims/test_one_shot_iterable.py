"""one-shot-iterable: the second epoch has no batch, unless workers are started anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, IterableDataset  # noqa: E402


class _Kept(IterableDataset):  # type: ignore[misc]
    def __init__(self) -> None:
        self.source = iter(range(4))

    def __iter__(self) -> Iterator[int]:
        return self.source


class _Itself(IterableDataset):  # type: ignore[misc]
    position = 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.position >= 4:
            raise StopIteration
        self.position += 1
        return self.position


class _Anew(IterableDataset):  # type: ignore[misc]
    def __iter__(self) -> Iterator[int]:
        return iter(range(4))


def _batches(dataset: IterableDataset, **arguments: Any) -> list[int]:
    loader = DataLoader(dataset, **arguments)
    return [len(list(loader)) for _ in range(3)]


_FORK = {"num_workers": 1, "multiprocessing_context": "fork"}


@pytest.mark.parametrize("made", [_Kept, _Itself])
def test_it_is_used_up(made: type[IterableDataset]) -> None:
    assert _batches(made()) == [4, 0, 0]
    assert _batches(made(), **_FORK, persistent_workers=True) == [4, 0, 0]


def test_fresh_workers_hide_it() -> None:
    assert _batches(_Kept(), **_FORK) == [4, 4, 4]


def test_begun_anew_it_is_whole() -> None:
    assert _batches(_Anew()) == [4, 4, 4]
