"""Dicts that a project derives for attribute access, and dicts in dicts that calls unpack."""

from __future__ import annotations

import pytest

from tests.semantics.asked import evaluated

SETTING = "    def __setattr__(self, name, value):\n        self[name] = value\n"
MAKING = "    def __init__(self, path):\n        self.update(read(path))\n"
READING = "    def __getattr__(self, name):\n        return self[name]\n"
DERIVED = {
    "reads": READING,
    "reads and writes": f"{READING}{SETTING}",
    "bound": "    __getattr__ = dict.get\n    __setattr__ = dict.__setitem__\n",
    "shared": (
        "    def __init__(self, *args, **kwargs):\n"
        "        super().__init__(*args, **kwargs)\n"
        "        self.__dict__ = self\n"
    ),
}
CHANGING = {
    "more methods": f"{READING}    def load(self, path):\n        self.update(read(path))\n",
    "no attributes": "    pass\n",
    "another constructor": f"{READING}{MAKING}",
    "other items": f"{READING}    def __getitem__(self, name):\n        return read(name)\n",
}
PROGRAM = """
class Options(dict):
{body}
def make():
    options = Options(size=8)
    options.inner = Options(pin=True)
    return options

def run(size=1, inner=None):
    reveal(size)
    reveal(inner["pin"])

run(**make())
reveal(make().size)
"""


@pytest.mark.parametrize("body", DERIVED.values(), ids=DERIVED)
def test_dicts_whose_items_are_attributes(body: str) -> None:
    assert evaluated(PROGRAM.format(body=body)) == [{"8"}, {"True"}, {"8"}]


@pytest.mark.parametrize("body", CHANGING.values(), ids=CHANGING)
def test_classes_that_hold_something_else(body: str) -> None:
    assert "True" not in evaluated(PROGRAM.format(body=body))[1]


NESTED = """
def run(rank, inner={{}}):
    reveal(inner["pin"])

def start(rank, options):
    run(rank, **options)

def main():
    options = {options}
    start(0, options)
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("{'inner': {'pin': True}}", {"True"}),
        ("{'inner': dict(pin=True), 'rank': 1}", {"True"}),
        ("{'inner': {'size': 1}}", {"?"}),
        ("{'inner': given}", {"?"}),
    ],
)
def test_dicts_in_dicts_that_a_call_unpacks(options: str, expected: set[str]) -> None:
    assert evaluated(NESTED.format(options=options)) == [expected]
