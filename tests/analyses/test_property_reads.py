"""Where a program reads a property, and so runs its getter."""

from __future__ import annotations

import pytest

from dlint.analyses.property_reads import property_reads
from tests.analyses.control.programs import MakeProgram, scope_named

CLASS = """
from torch.utils.data import DataLoader

class Data:
    def __init__(self, rows):
        self.rows = rows

    {decorator}
    def batches(self):
        return DataLoader(self.rows)

class Heir(Data):
    pass

class Other:
    batches = 3

def main(rows, test):
    {read}
"""
PROPERTY = "@property"


@pytest.mark.parametrize(
    ("read", "certain"),
    [
        ("return Data(rows).batches", [True]),
        ("data = Data(rows)\n    return next(data.batches), data.batches", [True, True]),
        ("return Heir(rows).batches", [True]),
        ("return Data(rows).batches if test else None", [False]),
        ("return [Data(x).batches for x in rows]", [False]),
        ("return test and Data(rows).batches", [False]),
        ("loader = DataLoader(rows)\n    return Other().batches", []),
        ("loader = DataLoader(rows)\n    return Data(rows).rows", []),
        ("loader = DataLoader(rows)\n    return rows.batches", []),
    ],
)
def test_reads_of_a_property(context: MakeProgram, read: str, certain: list[bool]) -> None:
    analysed = context(CLASS.format(decorator=PROPERTY, read=read))
    found = property_reads(analysed, scope_named(analysed, "batches"))
    assert [one.is_certain for one in found] == certain


@pytest.mark.parametrize("decorator", ["@staticmethod", "@functools.cached_property", "#"])
def test_only_properties_are_run_by_reading(context: MakeProgram, decorator: str) -> None:
    analysed = context(
        CLASS.format(decorator=decorator, read="return DataLoader(rows), Data(rows).batches")
    )
    assert not list(property_reads(analysed, scope_named(analysed, "batches")))
