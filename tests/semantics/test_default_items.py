"""Dicts that make their items when these are first asked for."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted

PROGRAM = """
import collections
from collections import OrderedDict, UserDict, defaultdict
from elsewhere import Library

class Meter:
    pass

def meter():
    return Meter()

class Board(OrderedDict):
    def __missing__(self, key):
        self[key] = Meter()
        return self[key]

class Named(UserDict):
    def __missing__(self, key):
        made = self[key] = Meter()
        return made

class Fixed(Board):
    def __getitem__(self, key):
        return 7

class Plain:
    def __missing__(self, key):
        return Meter()

reveal({asked})
"""
FOUND = {
    "a class": ("defaultdict(Meter)['a']", {"Meter()"}),
    "a function": ("defaultdict(meter)['a']", {"Meter()"}),
    "a lambda": ("collections.defaultdict(lambda: Meter())[0]", {"Meter()"}),
    "a class of a library": ("defaultdict(Library)['a']", {"?"}),
    "nothing": ("defaultdict(None)['a']", {"?"}),
    "no factory": ("defaultdict()['a']", {"?"}),
    "written where it is missed": ("Board()['a']", {"Meter()"}),
    "returned and written": ("Named()['a']", {"Meter()"}),
    "a method for items comes first": ("Fixed()['a']", {"7"}),
    "of no dict": ("Plain()['a']", {"?"}),
}


@pytest.mark.parametrize(("asked", "expected"), FOUND.values(), ids=FOUND)
def test_items(asked: str, expected: set[str]) -> None:
    assert denoted(PROGRAM.replace("{asked}", asked)) == [expected]
