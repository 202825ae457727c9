"""What an editor has open: files and notebooks, as they are before they are saved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types
from pygls.uris import to_fs_path

from dlint.server.positions import Positions
from dlint.workspace import kinds
from dlint.workspace.reading import decode
from dlint.workspace.source import Source
from dlint.workspace.spelling import on_disk, spelled


class OpenFile:
    """One version of a file that is open as a text."""

    def __init__(self, uri: str, path: str, version: int, language: str, text: str) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.language = language
        self._text = text

    @property
    def uris(self) -> list[str]:
        """The addresses of all that it shows."""
        return [self.uri]

    @cached_property
    def source(self) -> Source:
        """The text as the engine takes it. Raises UnreadableError for what is no notebook."""
        if kinds.is_notebook(self.path):
            return decode(self.path, self._text.encode("utf-8", "surrogatepass"))
        return Source(self.path, self._text)

    def changed(
        self,
        version: int,
        changes: Iterable[types.TextDocumentContentChangeEvent],
        positions: Positions,
    ) -> OpenFile:
        """The file after some changes, each of which speaks of the text that the last one left."""
        text = changed(self._text, changes, positions)
        return OpenFile(self.uri, self.path, version, self.language, text)


class Cell(NamedTuple):
    """One cell of a notebook; the editor takes it for a text of its own."""

    uri: str
    is_code: bool
    has_failed: bool
    """Whether it raised an error when it was last run."""
    language: str
    text: str

    @classmethod
    def of(cls, cell: types.NotebookCell, language: str, text: str) -> Cell:
        """A cell as the editor tells of it."""
        is_code = cell.kind is types.NotebookCellKind.Code
        summary = cell.execution_summary
        failed = summary is not None and summary.success is False
        return cls(cell.document, is_code, failed, language, text)

    def data(self) -> dict[str, object]:
        """The cell as the file of a notebook holds it; one in another language is no code."""
        kind = "code" if self.is_code and self.language == "python" else "raw"
        errors = [{"output_type": "error", "ename": "Error"}] if self.has_failed else []
        return {"cell_type": kind, "source": self.text, "outputs": errors}


class OpenNotebook:
    """One version of a notebook that is open as cells."""

    language = "notebook"

    def __init__(self, uri: str, path: str, version: int, cells: Sequence[Cell]) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.cells = cells

    @property
    def uris(self) -> list[str]:
        """The addresses of all that it shows."""
        return [self.uri, *(cell.uri for cell in self.cells)]

    @cached_property
    def source(self) -> Source:
        """The module that the cells make."""
        document = {"cells": [cell.data() for cell in self.cells], "metadata": {}, "nbformat": 4}
        return decode(self.path, json.dumps(document).encode())


def path_of(uri: str) -> str | None:
    """The file that an address names, as dlint spells it; None where it is none."""
    path = to_fs_path(uri)
    return None if path is None else spelled(on_disk(Path(path)))


def changed(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], positions: Positions
) -> str:
    """A text after some changes."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            source = Source("", text)
            start = positions.offset(source, change.range.start)
            end = positions.offset(source, change.range.end)
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return text


Open = OpenFile | OpenNotebook


class OpenFiles:
    """All that is open, by path; what is handed out never changes."""

    def __init__(self) -> None:
        self._files: dict[str, Open] = {}

    def get(self, uri: str) -> Open | None:
        """What is open under the address of a file, a notebook or one of its cells."""
        return next((one for one in self._files.values() if uri in one.uris), None)

    def put(self, one: Open) -> None:
        """Open something, or have its next version."""
        self._files[one.path] = one

    def close(self, uri: str) -> Open | None:
        """Close something; what it was."""
        one = self.get(uri)
        return None if one is None else self._files.pop(one.path)

    def now(self) -> Mapping[str, Open]:
        """What is open at this moment."""
        return dict(self._files)
