"""Dicts that an object keeps, and keys that are written to them there."""

from __future__ import annotations

import pytest

from tests.semantics.asked import evaluated

PROGRAM = """
class Options:
    def __init__(self):
        self.kept = {{"size": 64}}
        {within}

    def given(self):
        reveal(self.kept.get("pin"))

options = Options()
{outside}
options.given()
"""

WRITTEN = {
    "an item": ("self.kept['pin'] = True", ""),
    "merged": ("self.kept.update(pin=True)", ""),
    "merged, a dict": ("self.kept |= {'pin': True}", ""),
    "a default": ("self.kept.setdefault('pin', True)", ""),
    "under another name": ("kept = self.kept\n        kept['pin'] = True", ""),
    "from outside": ("pass", "options.kept['pin'] = True"),
    "merged from outside": ("pass", "options.kept.update(pin=True)"),
}


@pytest.mark.parametrize(("within", "outside"), WRITTEN.values(), ids=WRITTEN)
def test_a_key_that_somebody_writes_may_be_there(within: str, outside: str) -> None:
    (found,) = evaluated(PROGRAM.format(within=within, outside=outside))
    assert found & {"True", "?"}


@pytest.mark.parametrize("within", ["pass", "self.kept['size'] = 32", "self.other['pin'] = True"])
def test_a_key_that_nobody_writes_is_not(within: str) -> None:
    (found,) = evaluated(PROGRAM.format(within=within, outside=""))
    assert not found & {"True", "?"}


def test_of_values_under_computed_keys_nothing_is_known() -> None:
    text = """
    class Options:
        def __init__(self, **given):
            self.kept = {}
            for key, value in given.items():
                self.kept[key] = value

        def __getattr__(self, key):
            return self.kept[key]

    def batch(options):
        reveal(options.batch)

    batch(Options(batch=16, rate=0.0))
    """
    assert evaluated(text) == [{"?"}]


def test_what_is_written_under_a_key_that_is_handed_in_is_not_known() -> None:
    within = (
        "self.put('other', 0.5)\n\n    def put(self, key, value):\n        self.kept[key] = value"
    )
    (found,) = evaluated(PROGRAM.format(within=within, outside=""))
    assert "?" in found
    assert "0.5" not in found
