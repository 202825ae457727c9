"""Where places and edits stand in what an editor shows: in files, or in the cells of a notebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lsprotocol.types import Location, Position, Range, TextEdit
from pygls.uris import from_fs_path

from dlint.findings.edits import Edit
from dlint.findings.places import Place
from dlint.server.open_files import Open, OpenNotebook
from dlint.server.positions import Positions
from dlint.workspace.notebooks.magics import HIDDEN
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError

TextEdits = Mapping[str, list[TextEdit]]
"""By the address of the text that they change."""


class Shown(NamedTuple):
    """A text that the editor shows, and where it begins in what the engine reads."""

    source: Source
    start: int


class Sheets:
    """Answers for one state of what is open."""

    def __init__(self, sources: Sources, is_open: Mapping[str, Open], positions: Positions) -> None:
        self._sources = sources
        self._open = is_open
        self._positions = positions

    def uri(self, path: str) -> str:
        """The address of a file, as the editor gave it where it is open there."""
        one = self._open.get(path)
        return str(from_fs_path(path)) if one is None else one.uri

    def version(self, uri: str) -> int | None:
        """The version of a file that is open; None where it is not known."""
        return next((one.version for one in self._open.values() if one.uri == uri), None)

    def location(self, place: Place) -> Location:
        """A place; the beginning of its file where that cannot be read."""
        source = self._source(place.path)
        if source is None:
            return Location(self.uri(place.path), Range(Position(0, 0), Position(0, 0)))
        one = self._open.get(place.path)
        if isinstance(one, OpenNotebook):
            return self._in_cell(one, source, place)
        file, ends = source.file, (source.physical(place.start), source.physical(place.end))
        begin, end = (self._positions.position(file, *where) for where in ends)
        return Location(self.uri(place.path), Range(begin, end))

    def _in_cell(self, notebook: OpenNotebook, source: Source, place: Place) -> Location:
        part = source.part(place.start)
        most = len(part.source.text)
        start, end = (min(max(o - part.start, 0), most) for o in (place.start, place.end))
        uri = notebook.uri if part.cell is None else notebook.cells[part.cell - 1].uri
        return Location(uri, self._positions.range(part.source, start, end))

    def edits(self, edits: Iterable[Edit]) -> TextEdits | None:
        """The edits of a fix, by the texts that they change; None where one of them cannot be."""
        by_path: defaultdict[str, list[Edit]] = defaultdict(list)
        for edit in edits:
            by_path[edit.path].append(edit)
        found: defaultdict[str, list[TextEdit]] = defaultdict(list)
        for path, of_path in by_path.items():
            source = self._source(path)
            if source is None or any(HIDDEN in edit.text for edit in of_path):
                return None
            for uri, lowered in self._lowered(path, source, of_path):
                found[uri].append(lowered)
        return found

    def _lowered(
        self, path: str, source: Source, edits: Iterable[Edit]
    ) -> Iterable[tuple[str, TextEdit]]:
        if isinstance(self._open.get(path), OpenNotebook):
            for edit in edits:
                where = self.location(Place(path, edit.start, edit.end))
                yield where.uri, TextEdit(where.range, edit.text)
            return
        for edit in source.in_file(edits):
            span = self._positions.range(source.file, edit.start, edit.end)
            yield self.uri(path), TextEdit(span, edit.text)

    def offset(self, path: str, uri: str, position: Position) -> int | None:
        """Where a position of a text stands in what the engine reads; None where that is nowhere.

        Of a notebook that is open as JSON it is not known.
        """
        source, one = self._source(path), self._open.get(path)
        if source is None:
            return None
        if not isinstance(one, OpenNotebook):
            is_whole = source.file is source
            return self._positions.offset(source, position) if is_whole else None
        for part in source.parts():
            if part.cell is not None and one.cells[part.cell - 1].uri == uri:
                return part.start + self._positions.offset(part.source, position)
        return None

    def _source(self, path: str) -> Source | None:
        try:
            return self._sources.get(path)
        except UnreadableError:
            return None
