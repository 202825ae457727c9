"""Notebooks in an editor: as cells, or as the text of their file."""

from __future__ import annotations

import json
from pathlib import Path

from lsprotocol import types

from tests.server.editor import Editor, applied, editing, run

FIRST = "# Training\nfrom torch.utils.data import DataLoader, RandomSampler\n"
SECOND = "%matplotlib inline\ndata = [1, 2, 3]"
THIRD = "loader = DataLoader(data, shuffle=True, sampler=RandomSampler(data))"
RAISES = "DLT201"
MARKUP, CODE = types.NotebookCellKind.Markup, types.NotebookCellKind.Code


def _cells(path: Path, *texts: str) -> list[types.TextDocumentItem]:
    uri = path.as_uri().replace("file:", "vscode-notebook-cell:")
    return [
        types.TextDocumentItem(f"{uri}#{number}", "python", 1, text)
        for number, text in enumerate(texts)
    ]


def _cell(item: types.TextDocumentItem, kind: types.NotebookCellKind = CODE) -> types.NotebookCell:
    return types.NotebookCell(kind, item.uri)


def _open(editor: Editor, path: Path, items: list[types.TextDocumentItem]) -> None:
    cells = [_cell(items[0], MARKUP), *map(_cell, items[1:])]
    notebook = types.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, cells)
    editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))


def _change(editor: Editor, path: Path, cells: types.NotebookDocumentCellChanges) -> None:
    version = types.VersionedNotebookDocumentIdentifier(2, path.as_uri())
    change = types.NotebookDocumentChangeEvent(cells=cells)
    editor.client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(version, change)
    )


def test_cells_are_checked_as_one_program(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    items = _cells(path, "About this notebook", FIRST, SECOND, THIRD)

    async def steps() -> None:
        async with editing(tmp_path) as editor:
            _open(editor, path, items)
            await editor.becomes(items[3].uri, [RAISES])
            assert not editor.published[items[1].uri].diagnostics
            (found,) = editor.published[items[3].uri].diagnostics
            assert found.range.start == types.Position(0, 26)
            fix, suppress = await editor.actions(items[3].uri, found.range, "quickfix")
            fixed = applied(THIRD, fix.edit, items[3].uri)
            assert fixed == THIRD.replace("shuffle=True, ", "")
            silenced = applied(THIRD, suppress.edit, items[3].uri)
            assert silenced.startswith(f"{THIRD}  # dlint: ignore[shuffle-with-sampler]")
            (action,) = await editor.actions(items[3].uri, found.range, "source.fixAll.dlint")
            whole = await editor.resolve(action)
            assert applied(THIRD, whole.edit, items[3].uri) == fixed
            text = await editor.hover(items[3].uri, 0, 12)
            assert text is not None
            assert "shuffle-with-sampler" in text

    run(steps)


def test_cells_come_go_move_and_change(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    items = _cells(path, "About this notebook", FIRST, SECOND, THIRD)
    (extra,) = _cells(tmp_path / "other.ipynb", THIRD)

    async def steps() -> None:
        async with editing(tmp_path) as editor:
            _open(editor, path, items)
            last = items[3].uri
            await editor.becomes(last, [RAISES])
            span = types.Range(types.Position(0, 26), types.Position(0, 40))
            part = types.TextDocumentContentChangePartial(span, "")
            version = types.VersionedTextDocumentIdentifier(2, last)
            text = types.NotebookDocumentCellContentChanges(version, [part])
            _change(editor, path, types.NotebookDocumentCellChanges(text_content=[text]))
            await editor.becomes(last, [])
            array = types.NotebookCellArrayChange(3, 1, [_cell(extra), _cell(items[3])])
            structure = types.NotebookDocumentCellChangeStructure(array, [extra])
            _change(editor, path, types.NotebookDocumentCellChanges(structure))
            await editor.becomes(extra.uri, [RAISES])
            failed = types.NotebookCell(
                CODE, extra.uri, execution_summary=types.ExecutionSummary(1, False)
            )
            _change(editor, path, types.NotebookDocumentCellChanges(data=[failed]))
            await editor.becomes(extra.uri, [])

    run(steps)


def test_a_notebook_as_text(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    cells = [
        {"cell_type": "code", "source": text.splitlines(True), "metadata": {}, "outputs": []}
        for text in (FIRST, THIRD.replace("data", "[1, 2]"))
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)
    path.write_text(text)

    async def steps() -> None:
        async with editing(tmp_path) as editor:
            uri = editor.open(path, language="json")
            (found,) = await editor.found(uri)
            assert "loader = " in text.splitlines()[found.range.start.line]
            fix, _ = await editor.actions(uri, found.range, "quickfix")
            fixed = json.loads(applied(text, fix.edit, uri))
            assert "shuffle" not in "".join(fixed["cells"][1]["source"])
            editor.change(uri, text[:-1])
            assert await editor.codes(uri) == ["DLT902"]
            editor.change(uri, text)
            assert await editor.codes(uri) == [RAISES]

    run(steps)
