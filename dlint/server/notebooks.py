"""Notebooks as an editor tells of them: opened, and changed cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsprotocol import types

from dlint.server.open_files import Cell, OpenNotebook, changed
from dlint.server.positions import Positions


def opened(path: str, params: types.DidOpenNotebookDocumentParams) -> OpenNotebook:
    """A notebook with all its cells."""
    notebook = params.notebook_document
    texts = {item.uri: item for item in params.cell_text_documents}
    cells = [_cell(cell, texts) for cell in notebook.cells]
    return OpenNotebook(notebook.uri, path, notebook.version, cells)


def after(
    before: OpenNotebook, params: types.DidChangeNotebookDocumentParams, positions: Positions
) -> OpenNotebook:
    """A notebook after a change of its cells: which there are, their kinds, their texts."""
    cells, change = list(before.cells), params.change.cells
    if change is not None:
        if change.structure is not None:
            array = change.structure.array
            end = array.start + array.delete_count
            cells[array.start : end] = _placed(before, change.structure)
        known = {cell.document: cell for cell in change.data or ()}
        edits = {text.document.uri: text.changes for text in change.text_content or ()}
        cells = [_changed(cell, known, edits, positions) for cell in cells]
    return OpenNotebook(before.uri, before.path, params.notebook_document.version, cells)


def _placed(
    before: OpenNotebook, structure: types.NotebookDocumentCellChangeStructure
) -> list[Cell]:
    """The cells that come to a place: new ones, and those that stood elsewhere."""
    texts = {item.uri: item for item in structure.did_open or ()}
    known = {cell.uri: cell for cell in before.cells}
    found = []
    for cell in structure.array.cells or ():
        old = known.get(cell.document)
        if old is not None and cell.document not in texts:
            found.append(Cell.of(cell, old.language, old.text))
        else:
            found.append(_cell(cell, texts))
    return found


def _cell(cell: types.NotebookCell, texts: Mapping[str, types.TextDocumentItem]) -> Cell:
    item = texts.get(cell.document)
    return Cell.of(cell, "", "") if item is None else Cell.of(cell, item.language_id, item.text)


def _changed(
    cell: Cell,
    known: Mapping[str, types.NotebookCell],
    edits: Mapping[str, Iterable[types.TextDocumentContentChangeEvent]],
    positions: Positions,
) -> Cell:
    if cell.uri in known:
        cell = Cell.of(known[cell.uri], cell.language, cell.text)
    if cell.uri in edits:
        cell = cell._replace(text=changed(cell.text, edits[cell.uri], positions))
    return cell
