"""Items of dicts that are read as attributes."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

PROGRAM = """
{imported}

def f(args):
    reveal(args.rank)

args = {made}
{before}
f(args)
"""
BOX = ("from box import Box", "Box({'rank': -1, 'size': 4})")
MADE = {
    "a dict that is given": BOX,
    "keywords": ("from types import SimpleNamespace", "SimpleNamespace(rank=-1)"),
    "a dict that is unpacked": (
        "from types import SimpleNamespace as N",
        "N(**{'rank': 0, **{'rank': -1}})",
    ),
    "another library": ("import ml_collections as ml", "ml.ConfigDict({'rank': -1})"),
    "and another": ("from bunch import bunchify", "bunchify({'rank': -1})"),
    "what is changed before": (
        "from munch import munchify",
        "munchify({'rank': 1} | {'rank': -1})",
    ),
}


def _of(made: tuple[str, str], before: str = "") -> list[set[str]]:
    return evaluated(PROGRAM.format(imported=made[0], made=made[1], before=before))


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_an_attribute_is_the_item(made: tuple[str, str]) -> None:
    assert _of(made) == [{"-1"}]


def test_an_item_of_a_dict_in_it() -> None:
    made = ("from addict import Dict", "Dict({'one': {'rank': -1}})")
    program = PROGRAM.format(imported=made[0], made=made[1], before="").replace(
        "args.r", "args.one.r"
    )
    assert evaluated(program) == [{"-1"}]


@pytest.mark.parametrize(
    "before",
    [
        "args.rank = 2",
        "setattr(args, 'rank', 2)",
        "for k in names: setattr(args, k, 2)",
        "def g():\n    args.rank = 2\ng()",
        "import os\nunknown(os).rank = 2",
    ],
)
def test_what_somebody_writes_as_an_attribute_is_left_open(before: str) -> None:
    assert "?" in _of(BOX, before)[0]


@pytest.mark.parametrize(
    "before",
    [
        "args.size = 2",
        "setattr(args, 'size', 2)",
        "class A:\n    def __init__(self):\n        self.rank = 2",
        "other = Box({'rank': 3})\nother.rank = 2",
    ],
)
def test_what_is_written_elsewhere_changes_nothing(before: str) -> None:
    assert _of(BOX, before) == [{"-1"}]


def test_an_attribute_that_is_written_flows() -> None:
    made = ("from types import SimpleNamespace as N", "N(rank=1)")
    program = PROGRAM.format(imported=made[0], made=made[1], before="args.rank = 2")
    assert denoted(program) == [{"1", "2"}]
