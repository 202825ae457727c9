from __future__ import annotations

import pytest

from dlint.library_facts.torch_versions import FACTS, holds


@pytest.mark.parametrize(
    ("fact", "version", "expected"),
    [
        ("in-order", "2.5.1", False),
        ("in-order", "2.6.0", True),
        ("in-order", "2.13.0+cpu", True),
        ("without-torch-six", "1.13.1", False),
        ("without-torch-six", "2.0.1", True),
        ("pin-memory-device", "1.11", False),
        ("pin-memory-device", "2.8.0", True),
        ("pin-memory-device", "2.9.0", False),
        ("sampler-warns-of-data-source", "2.10.0", False),
    ],
)
def test_a_fact_holds_inside_its_window(fact: str, version: str, expected: bool) -> None:
    assert holds(fact, version) is expected


def test_minor_versions_are_numbers_not_text() -> None:
    assert holds("subset-has-getitems", "2.10.0")


def test_an_unknown_fact_is_an_error() -> None:
    with pytest.raises(KeyError):
        holds("no-such-fact", "2.0")


def test_a_version_needs_two_numbers() -> None:
    with pytest.raises(ValueError, match="not a version"):
        holds("in-order", "nightly")


def test_no_window_ends_before_it_begins() -> None:
    for window in FACTS.values():
        assert window.first is None or window.last is None or window.first <= window.last
