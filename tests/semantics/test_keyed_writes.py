"""Attributes that a class takes from a mapping, an attribute for each key."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

PROGRAM = """
class Config:
    workers = 0

    def __init__(self, {taken}):
        {written}

{made}
reveal(config.workers)
"""
ITEMS = "for k, v in given.items(): setattr(self, k, v)"
KEYWORDS = "config = Config(epochs=9, workers=4)"
A_DICT = "config = Config({'epochs': 9, 'workers': 4})"

WRITTEN = {
    "items": ("**given", ITEMS, KEYWORDS),
    "items of a dict": ("given", ITEMS, A_DICT),
    "keys": ("**given", "for name in given: setattr(self, name, given[name])", KEYWORDS),
    "keys, said so": (
        "given",
        "for name in given.keys(): self.__setattr__(name, given[name])",
        A_DICT,
    ),
    "tested": (
        "**given",
        "for k, v in given.items():\n            hasattr(self, k) and setattr(self, k, v)",
        KEYWORDS,
    ),
    "dict of the object": ("**given", "self.__dict__.update(given)", KEYWORDS),
    "dict of the object, unpacked": ("**given", "self.__dict__.update(**given)", KEYWORDS),
    "variables": ("given", "vars(self).update(given)", A_DICT),
}


@pytest.mark.parametrize(("taken", "written", "made"), WRITTEN.values(), ids=WRITTEN)
def test_what_the_mapping_holds_wins(taken: str, written: str, made: str) -> None:
    program = PROGRAM.format(taken=taken, written=written, made=made)
    assert evaluated(program) == [{"4"}]
    assert "4" in denoted(program)[0]


def test_what_it_does_not_hold_stays_as_the_class_has_it() -> None:
    made = "config = Config(epochs=9)"
    assert evaluated(PROGRAM.format(taken="**given", written=ITEMS, made=made)) == [{"0"}]


def test_a_mapping_that_is_not_known_may_hold_anything() -> None:
    made = "config = Config(**load())"
    assert "?" in evaluated(PROGRAM.format(taken="**given", written=ITEMS, made=made))[0]


def test_another_key_or_object_is_not_followed() -> None:
    other = "for k, v in given.items(): setattr(self, k + '_', v)"
    assert evaluated(PROGRAM.format(taken="**given", written=other, made=KEYWORDS)) == [{"0"}]
    other = "for k, v in given.items(): setattr(other, k, v)"
    assert evaluated(PROGRAM.format(taken="other, **given", written=other, made=KEYWORDS)) == [
        {"0"}
    ]


def test_a_class_that_only_wraps_a_dict_has_its_keys() -> None:
    program = PROGRAM.replace("    workers = 0\n\n", "")
    assert evaluated(program.format(taken="given", written=ITEMS, made=A_DICT)) == [{"4"}]


LATER = """
class Config:
    workers = 4

    def parse(self, given):
        for k, v in given.items(): setattr(self, k, v)

config = Config()
config.parse({given})
reveal(config.workers)
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("load()", "~4"),
        ("{'workers': 8}", "8"),
        ("{'epochs': 8}", "4"),
        ("load())\nconfig.parse({'epochs': 8}", "~4"),
    ],
)
def test_a_method_that_is_given_settings_later_leaves_a_default(given: str, found: str) -> None:
    assert evaluated(LATER.replace("{given}", given)) == [{found}]
