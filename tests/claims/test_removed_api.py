"""What `removed-api` says is gone from torch, and what its fixes put in its place."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest
from torch.utils.data import DataLoader, Sampler

DATA = list(range(4))


class WithSource(Sampler[int]):
    def __init__(self, data: list[int]) -> None:
        super().__init__(data)  # type: ignore[call-arg]

    def __iter__(self) -> Iterator[int]:
        yield from ()


class WithNone(WithSource):
    def __init__(self, data: list[int]) -> None:
        Sampler.__init__(self, None)  # type: ignore[call-arg]


class Mended(WithSource):
    def __init__(self, data: list[int]) -> None:
        super(WithSource, self).__init__()


def test_an_iterator_has_no_next() -> None:
    iterator = iter(DataLoader(DATA))  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="next"):
        iterator.next()  # type: ignore[attr-defined]
    assert next(iterator).tolist() == [0]


def test_there_is_no_torch_six() -> None:
    with pytest.raises(ModuleNotFoundError, match="_six"):
        importlib.import_module("torch._six")


@pytest.mark.parametrize("sampler", [WithSource, WithNone])
def test_a_sampler_takes_no_data_source(sampler: type[WithSource]) -> None:
    with pytest.raises(TypeError, match="argument"):
        sampler(DATA)


def test_a_sampler_without_it_works() -> None:
    assert list(DataLoader(DATA, sampler=Mended(DATA))) == []  # type: ignore[arg-type]
