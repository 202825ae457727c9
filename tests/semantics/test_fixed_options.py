"""argparse options that hold the same whether they are given or not."""

from __future__ import annotations

import pytest

from tests.semantics.asked import evaluated

TEXT = """
import argparse
def run(extra):
    p = argparse.ArgumentParser()
    {declared}
    args = p.parse_args({given})
    {written}
    reveal(args.on)
"""
TRUE = "p.add_argument('--on', action='store_true', default=True)"
FALSE = "p.add_argument('--off', dest='on', action='store_false', default=False)"
OTHER = "p.add_argument('--other', dest='on', action='store_false', default=True)"

CERTAIN = {"store_true, True": (TRUE, {"True"}), "store_false, False": (FALSE, {"False"})}
OPEN = {
    "store_true, False": ("p.add_argument('--on', action='store_true', default=False)", {"~False"}),
    "store_false, True": (OTHER, {"~True"}),
    "store_true, nothing": ("p.add_argument('--on', action='store_true')", {"~False"}),
    "another flag changes it": (f"{TRUE}; {OTHER}", {"True", "~True"}),
    "a choice": (
        "p.add_argument('--on', action=argparse.BooleanOptionalAction, default=True)",
        {"~True"},
    ),
}
WRITES = {
    "an attribute": "args.on = extra",
    "an attribute by its name": "setattr(args, 'on', extra)",
    "an item": "vars(args)['on'] = extra",
    "all items": "args.__dict__.update(extra)",
    "a dict of all": "d = vars(args)",
    "defaults": "p.set_defaults(**extra)",
}


@pytest.mark.parametrize(("declared", "expected"), [*CERTAIN.values(), *OPEN.values()])
def test_what_a_flag_holds(declared: str, expected: set[str]) -> None:
    text = TEXT.format(declared=declared, given="", written="pass")
    assert evaluated(text) == [expected]


@pytest.mark.parametrize("written", WRITES.values(), ids=WRITES)
def test_what_is_written_later_is_only_assumed(written: str) -> None:
    text = TEXT.format(declared=TRUE, given="", written=written)
    assert evaluated(text) == [{"~True"}]


def test_options_that_are_put_anew_as_a_whole_may_be_any() -> None:
    text = TEXT.format(declared=TRUE, given="", written="args.__dict__ = extra")
    assert evaluated(text) == [{"~True", "?"}]


def test_a_namespace_that_is_handed_in_may_hold_another() -> None:
    text = TEXT.format(declared=TRUE, given="namespace=extra", written="pass")
    assert evaluated(text) == [{"~True"}]


def test_an_attribute_of_another_object_is_no_write() -> None:
    text = TEXT.format(declared=TRUE, given="", written="pass")
    text += "class Model:\n    def __init__(self, on):\n        self.on = on\n"
    assert evaluated(text) == [{"True"}]


def test_an_option_that_has_to_be_given_holds_nothing_by_itself() -> None:
    for required, expected in (("True", "?"), ("False", "~None"), ("True, default=1", "~1")):
        declared = f"p.add_argument('--on', required={required})"
        text = TEXT.format(declared=declared, given="", written="pass")
        assert evaluated(text) == [{expected}]
