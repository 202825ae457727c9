"""For any notebook: another source of a cell is what differs afterwards, and nothing else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dlint.workspace.notebooks.document import Document

_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
_CODE = st.lists(
    st.sampled_from(
        ["x = 1\n", "y = '\u00e9'\n", "z\n", "\t# \U0001f600\n", 'a\\n"b"', "\r\n", "\n"]
    ),
    max_size=6,
).map("".join)
_METADATA = st.dictionaries(_TEXT, _TEXT | st.integers() | st.none(), max_size=2)


@st.composite
def _cells(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["code", "code", "markdown"]))
    source = draw(_CODE)
    cell: dict[str, Any] = {
        "cell_type": kind,
        "metadata": draw(_METADATA),
        "source": source.splitlines(keepends=True) if draw(st.booleans()) else source,
    }
    if kind == "code":
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": draw(_TEXT)}]
        cell["execution_count"] = draw(st.none() | st.integers(0, 9))
    keys = draw(st.permutations(sorted(cell)))
    return {key: cell[key] for key in keys}


@given(
    st.lists(_cells(), min_size=1, max_size=4),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
    st.sampled_from(["", "\n", "\r\n"]),
    st.data(),
)
def test_one_source_is_exchanged(
    cells: list[dict[str, Any]], indent: Any, ascii_only: bool, end: str, data: st.DataObject
) -> None:
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(notebook, indent=indent, ensure_ascii=ascii_only) + end
    document = Document(text)
    if not document.code_cells:
        return
    cell = data.draw(st.sampled_from(document.code_cells))
    new = data.draw(_CODE | st.just(cell.source + "w = 0\n") | st.just(cell.source[1:]))
    after = document.with_sources({cell.number: new})

    loaded = json.loads(after)
    written = loaded["cells"][cell.number - 1].pop("source")
    assert "".join(written) == new
    assert isinstance(written, type(cells[cell.number - 1].pop("source")))
    assert loaded == notebook

    start, behind = cell.span[0], len(text) - cell.span[1]
    assert after[:start] == text[:start]
    assert after[len(after) - behind :] == text[len(text) - behind :]
