"""The guard of the tests that hold what must come to an end."""

from __future__ import annotations

import re

import pytest

from tests.ends import NoEndError, calls_in, comes_to_an_end


def _go_on() -> None:
    while True:
        pass


def test_what_goes_on_is_ended() -> None:
    with pytest.raises(NoEndError, match=r"no end after 0\.05 s"), comes_to_an_end(0.05):
        _go_on()


def test_a_regular_expression_that_goes_back_for_ever_is_ended() -> None:
    with pytest.raises(NoEndError), comes_to_an_end(0.05):
        re.match("(a|aa)+$", "a" * 60 + "b")


def test_what_ends_is_left_alone() -> None:
    with comes_to_an_end(0.05):
        pass
    sum(range(5_000_000))


def test_calls_are_counted() -> None:
    def work() -> None:
        for _ in range(100):
            len("")

    assert 100 <= calls_in(work) < 110
