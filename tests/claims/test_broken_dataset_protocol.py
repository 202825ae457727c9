"""broken-dataset-protocol: what each broken part of the protocol raises."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, Dataset, SequentialSampler  # noqa: E402


class _Sized(Dataset):  # type: ignore[misc]
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return index


class _NoIndex(_Sized):
    def __getitem__(self) -> int:  # type: ignore[override]
        return 1


class _NoLength(Dataset):  # type: ignore[misc]
    def __getitem__(self, index: int) -> int:
        return index


class _SometimesNone(_Sized):
    def __getitem__(self, index: int) -> Any:
        return torch.zeros(1) if index == 0 else None


class _Picture:
    """Stands for an image: to the collate function both are objects of an unknown class."""


class _Image(_Sized):
    def __getitem__(self, index: int) -> Any:
        return _Picture(), index


def test_a_right_dataset_works() -> None:
    assert [batch.tolist() for batch in DataLoader(_Sized())] == [[0], [1]]


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (_NoIndex(), "takes 1 positional argument but 2 were given"),
        (_NoLength(), r"has no len\(\)"),
        (_Image(), "default_collate: batch must contain tensors"),
        (_SometimesNone(), "NoneType"),
    ],
)
def test_a_broken_one_raises(dataset: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        list(DataLoader(dataset, batch_size=2))


def test_no_length_is_needed_with_a_sampler_nor_a_collation_without_batches() -> None:
    sampler = SequentialSampler(_Sized())
    assert len(list(DataLoader(_NoLength(), sampler=sampler))) == 2
    assert len(list(DataLoader(_Image(), batch_size=None))) == 2
    assert list(DataLoader(_SometimesNone(), batch_size=2, collate_fn=len)) == [2]


def test_a_loop_over_a_data_set_does_not_ask_for_its_length() -> None:
    seen = [sample for sample, _ in zip(_Sized(), range(5), strict=False)]
    assert seen == [0, 1, 2, 3, 4]


def test_nothing_left_of_a_batch_raises() -> None:
    with pytest.raises(IndexError):
        torch.utils.data.default_collate([])


class _Stream(torch.utils.data.IterableDataset):  # type: ignore[misc,name-defined]
    def __iter__(self) -> Any:
        yield 1


def test_a_stream_has_no_length() -> None:
    for measured in (_Stream(), DataLoader(_Stream())):
        with pytest.raises(TypeError, match="has no len"):
            len(measured)
