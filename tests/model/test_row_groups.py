"""Whether a value is the rows of one group of a table."""

from __future__ import annotations

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.model.samples.row_groups import are_rows
from tests.analyses.control.programs import MakeProgram

_TEXT = """
import pandas as pd

table = pd.read_csv("boxes.csv")
grouped = table.groupby("picture")
by_name = dict(list(grouped))
arrays = {{name: rows[["x", "y"]].values for name, rows in grouped}}
means = {{name: rows.mean() for name, rows in grouped}}


def main(name, other):
    {before}
    ask({asked})
"""


@pytest.mark.parametrize(
    ("before", "asked", "expected"),
    [
        ("pass", "by_name[name]", True),
        ("pass", "dict(iter(table.groupby('picture')))[name]['kind']", True),
        ("rows = by_name[name]", "rows[['x', 'y']].to_numpy()", True),
        ("rows = by_name[name]", "rows['kind'].map({}).values", True),
        ("pass", "grouped.get_group(name)", True),
        ("pass", "arrays[name]", True),
        ("pass", "[rows for _, rows in grouped][0]", False),
        ("for name, rows in grouped: pass", "rows['x']", True),
        ("for name, rows in other: pass", "rows['x']", False),
        ("pass", "means[name]", False),
        ("pass", "table['kind']", False),
        ("pass", "by_name[name].iloc[0]", False),
        ("pass", "by_name[name].mean()", False),
        ("pass", "grouped.mean()[name]", False),
        ("pass", "dict(other.groupby('picture'))[name]", False),
    ],
)
def test_rows_of_a_group(context: MakeProgram, before: str, asked: str, expected: bool) -> None:
    program = context(_TEXT.format(before=before, asked=asked))
    (call,) = calls_anywhere(program, "ask")
    (given,) = call.arguments
    assert are_rows(program, given.value, program.solver.root(call.scope)) is expected
