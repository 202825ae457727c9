from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.object_state import sample_access
from dlint.analyses.object_state.state import ObjectState

Make = Callable[..., ObjectState]
METHOD = """
class Rows(Dataset):
    def __getitem__(self, index):
        {}
"""


@pytest.mark.parametrize(
    ("body", "indexed", "keyed", "each", "tested"),
    [
        ("return self.x[index]", True, False, False, False),
        ("return self.x['a'][index]", True, True, False, False),
        ("return self.x[index:index + 3]", False, False, False, False),
        ("return [x[index] for x in self.x]", False, False, True, False),
        ("for x in self.x:\n            pass", False, False, True, False),
        ("if self.x:\n            return 1", False, False, False, True),
        ("return self.y[index]", False, False, False, False),
    ],
)
def test_how_a_sample_is_taken(
    state: Make, body: str, indexed: bool, keyed: bool, each: bool, tested: bool
) -> None:
    found = state(METHOD.format(body))
    asked = (found.context, found.cls, "x")
    assert sample_access.takes_by_index(*asked) is indexed
    assert sample_access.takes_by_key(*asked) is keyed
    assert sample_access.takes_each(*asked) is each
    assert sample_access.is_tested(*asked) is tested


def test_what_a_property_gives_is_taken_of_what_it_returns(state: Make) -> None:
    found = state("""
class Rows(Dataset):
    @property
    def rows(self):
        return self._rows
    def __getitem__(self, index):
        return self.rows[index]
""")
    assert sample_access.takes_by_index(found.context, found.cls, "_rows")
    assert not sample_access.takes_by_index(found.context, found.cls, "_other")


@pytest.mark.parametrize(
    ("body", "indexed"),
    [
        ("return self.row(index)", True),
        ("return self.outer(index)", True),
        ("return row(index)", False),
        ("return index.row(index)", False),
    ],
)
def test_helpers_of_the_object_take_samples_too(state: Make, body: str, indexed: bool) -> None:
    helpers = """
    def row(self, at):
        return self.x[at]
    def outer(self, at):
        return self.row(at) if at else self.outer(at)
"""
    found = state(METHOD.format(body) + helpers)
    assert sample_access.takes_by_index(found.context, found.cls, "x") is indexed


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return self.x[self.room[index]]", {"room"}),
        ("i, j = self.room[index]\n        return self.x[i]", {"room"}),
        ("return self.x[self.room[index]], self.x[index]", set()),
        ("return self.x[index]", set()),
    ],
)
def test_tables_that_name_the_element(state: Make, body: str, expected: set[str]) -> None:
    found = state(METHOD.format(body))
    assert sample_access.tables(found.context, found.cls, "x") == expected


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("class Rows(Dataset):\n    def __len__(self):\n        return 1", True),
        (METHOD.format("return self.x"), True),
        (METHOD.format("return 1"), False),
        (METHOD.format("return vars(self)"), True),
        (METHOD.format("return getattr(self, 'x')"), True),
    ],
)
def test_whether_anything_reads_it_later(state: Make, text: str, read: bool) -> None:
    found = state(text)
    assert sample_access.is_read_later(found.context, found.cls, "x") is read
