"""Columns of Hugging Face data sets that functions of `map` fill with lists."""

from __future__ import annotations

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.model.data.arrow_rows import list_columns
from dlint.model.data.mapped_columns import mapped_columns
from tests.analyses.control.programs import MakeProgram

LISTS = 'def f(row, n):\n    row["x"] = [n, 1]\n    return row\n'
TABLE = "load_dataset('a', split='train')"


@pytest.mark.parametrize(
    ("body", "given", "written", "lists"),
    [
        ('row["x"] = [1, 2]\n    return row', "", "x", "x"),
        ('row["x"] = 1\n    return row', "", "x", ""),
        ('return {"x": [1, 2], "y": 3}', "", "xy", "x"),
        ('return {"x": [v for v in row["y"]]}', "", "x", "x"),
        ('return {"x": [v for v in row["y"]]}', ", batched=True", "x", ""),
        ('return {"x": [[v, 1] for v in row["y"]]}', ", batched=True", "x", "x"),
        ('if row["y"]:\n        row["x"] = [1]\n    return row', "", "x", ""),
        ('row["x"] = [1]\n    row["x"] = 1\n    return row', "", "x", ""),
        ('other["x"] = [1]\n    return row', "", "", ""),
        ('return {"x": [1]}', ", batched=n", None, None),
    ],
)
def test_what_a_function_writes(
    context: MakeProgram, body: str, given: str, written: str | None, lists: str | None
) -> None:
    text = f"import torch\ndef f(row):\n    {body}\nt = load()\nn = g()\nt.map(f{given})\n"
    analysed = context(text)
    (call,) = calls_anywhere(analysed, "map")
    found = mapped_columns(analysed, call)
    if written is None or lists is None:
        assert found is None
    else:
        assert found == (frozenset(written), frozenset(lists))


@pytest.mark.parametrize(
    ("made", "lists"),
    [
        (f"{TABLE}.map(f)", "x"),
        (f"{TABLE}.map(f).shuffle(seed=1)", "x"),
        ("load_dataset('a').map(f)['train']", "x"),
        (TABLE, ""),
        ("other().map(f)", ""),
        (f"{TABLE}.map(f).with_format('torch')", ""),
        (f"{TABLE}.map(f).remove_columns(['x'])", ""),
        (f"{TABLE}.map(f).remove_columns('x')", ""),
        (f"{TABLE}.map(f).remove_columns(['y'])", "x"),
        (f"{TABLE}.map(f).remove_columns(names)", ""),
        (f"{TABLE}.map(f).select_columns(['x', 'y'])", "x"),
        (f"{TABLE}.map(f).select_columns(['y'])", ""),
        (f"{TABLE}.map(f).map(unknown)", ""),
        (f"{TABLE}.map(f).map(lambda row: {{'x': 1}})", ""),
        (f"{TABLE}.map(f).map(lambda row: {{'y': 1}})", "x"),
        (f"{TABLE}.map(f).map(lambda row: {{'y': 1}}, remove_columns=['x'])", ""),
        (f"{TABLE}.map(f, remove_columns=['x'])", "x"),
    ],
)
def test_columns_that_hold_lists(context: MakeProgram, made: str, lists: str) -> None:
    analysed = context(f"from datasets import load_dataset\nimport torch\n{LISTS}ask({made})\n")
    (call,) = calls_anywhere(analysed, "ask")
    root = analysed.solver.root(call.scope)
    assert list_columns(analysed, call.arguments[0].value, root) == frozenset(lists)
