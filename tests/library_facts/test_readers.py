from __future__ import annotations

import pytest

from dlint.library_facts import readers
from dlint.library_facts.readers import Kind


def test_no_index_reader_is_a_payload_reader() -> None:
    assert not readers.INDEX_READERS & readers.READERS.keys()


def test_every_lazy_kind_has_a_way_to_be_read() -> None:
    by_method = {*readers.READING_METHODS, *readers.SLICED, Kind.DATASET}
    assert {reader.kind for reader in readers.READERS.values()} - {Kind.PAYLOAD} <= by_method


def test_a_word_does_not_both_keep_and_reduce() -> None:
    assert not readers.REDUCING & readers.PAYLOAD_ATTRIBUTES
    assert not readers.REDUCING & readers.JOINING
    assert not readers.REDUCING & readers.MUTATORS


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("MNIST", True),
        ("PartialCifar10", True),
        ("ToySet", True),
        ("_DummyDataset", True),
        ("DeepFakeDataset", False),
        ("Images", False),
    ],
)
def test_small_data_are_known_by_the_name_of_their_class(name: str, small: bool) -> None:
    assert bool(readers.SMALL.search(name)) is small
