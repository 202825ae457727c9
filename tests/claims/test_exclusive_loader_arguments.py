"""What torch does with the arguments that `exclusive-loader-arguments` reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, SequentialSampler

DATA = list(range(8))
ORDER = SequentialSampler(DATA)
BATCHES = BatchSampler(ORDER, 4, drop_last=False)


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        yield from DATA


@pytest.mark.parametrize(
    "arguments",
    [{"batch_size": 4}, {"batch_size": None}, {"shuffle": True}, {"drop_last": True}],
    ids=str,
)
def test_a_batch_sampler_excludes(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="batch_sampler option is mutually exclusive"):
        DataLoader(DATA, batch_sampler=BATCHES, **arguments)  # type: ignore[arg-type]


def test_a_batch_sampler_excludes_a_sampler() -> None:
    with pytest.raises(ValueError, match="batch_sampler option is mutually exclusive"):
        DataLoader(DATA, batch_sampler=BATCHES, sampler=ORDER)  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", [{"batch_size": 1}, {"shuffle": False}, {}], ids=str)
def test_a_batch_sampler_goes_with_the_defaults(arguments: dict[str, Any]) -> None:
    loader = DataLoader(DATA, batch_sampler=BATCHES, **arguments)  # type: ignore[arg-type]
    assert [batch.tolist() for batch in loader] == [DATA[:4], DATA[4:]]


def test_no_batches_exclude_drop_last() -> None:
    with pytest.raises(ValueError, match="mutually exclusive with drop_last"):
        DataLoader(DATA, batch_size=None, drop_last=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"shuffle": True}, "unspecified shuffle"),
        ({"sampler": ORDER}, "unspecified sampler"),
        ({"batch_sampler": BATCHES}, "unspecified batch_sampler"),
    ],
    ids=["shuffle", "sampler", "batch_sampler"],
)
def test_a_stream_excludes_what_chooses_by_index(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        DataLoader(Stream(), **arguments)


def test_a_stream_without_them_is_read_in_its_order() -> None:
    loader = DataLoader(Stream(), batch_size=4, shuffle=False)
    assert [batch.tolist() for batch in loader] == [DATA[:4], DATA[4:]]
