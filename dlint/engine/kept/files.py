"""What is known of each file by its content: found again by its state, without reading it.

The state of a file is what `stat` tells. It is trusted where it is older than the moment at which
the content was read by more than a clock of a file system is coarse; then nobody can have written
to the file since without its state telling so. Else the content is read and its digest compared.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.workspace import kinds
from dlint.workspace.asked import digest_of
from dlint.workspace.reading import Sources
from dlint.workspace.source import MOST_BYTES

if TYPE_CHECKING:
    from dlint.engine.kept.storage import Storage

Json = Any
_COARSE = 2_500_000_000
"""Nanoseconds: FAT counts in two seconds."""
_ROWS = "files"
_MANY = 1_000
News = tuple[str, str, str, Json]
"""What a file says: its path, the digest of its content, the question, and the answer."""


class _Row(NamedTuple):
    """What is kept of one file."""

    state: list[int]
    """When content and state changed, in nanoseconds, the size, and the inode."""
    seen: int
    """When that was asked, in nanoseconds."""
    digest: str
    said: dict[str, Json]
    """Answers to questions about this content alone."""


class FileFacts:
    """The digests of files, and answers to questions about the text of each alone."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._storage: Storage | None = None
        self._rows: dict[str, _Row] = {}
        self._known: dict[str, str] = {}
        self._passing: dict[tuple[str, str], Json] = {}
        """Answers about texts that stand for files, or all where nothing is kept."""
        self._is_new = False
        self._news: list[News] = []
        self._learned: list[News] = []

    def keep_in(self, storage: Storage) -> None:
        """From now on, take what is kept, and keep what is new."""
        self._storage = storage
        self._rows = _rows(storage.get(_ROWS))

    def said(self, path: str, question: str, answer: Callable[[], Json]) -> Json:
        """The answer to a question about the text at a path, found once for each text."""
        row = self._row(path)
        said = self._passing if row is None else row.said
        key: Any = (path, question) if row is None else question
        if key not in said:
            said[key] = answer()
            if row is not None:
                self._is_new = True
                self._news.append((path, row.digest, question, said[key]))
        return said[key]

    def news(self) -> list[News]:
        """The answers that were found since this was last asked, for another process to keep."""
        news, self._news = self._news, []
        return news

    def learn(self, news: list[News]) -> None:
        """Keep what another process found, where the file still has that content."""
        self._learned += news

    def digest(self, path: str) -> str:
        """A digest of what stands at a path now: the same for the same, told by state."""
        if path not in self._known:
            self._known[path] = self._told(path)
        return self._known[path]

    def digest_as_read(self, path: str) -> str:
        """A digest of what this run read at a path; as `digest` where it did not read it."""
        if self._sources.is_changed(path) or not self._sources.was_read(path):
            return self.digest(path)
        return digest_of(self._sources.raw(path))

    def save(self) -> None:
        """Hand what is new to the storage; where most files are not asked for any more, those."""
        if self._storage is None or not (self._is_new or self._learned):
            return
        for path, digest, question, answer in self._learned:
            row = self._rows.get(path)
            if row is not None and row.digest == digest:
                row.said.setdefault(question, answer)
        if len(self._rows) > _MANY + 2 * len(self._known):
            self._rows = {path: row for path, row in self._rows.items() if path in self._known}
        self._storage.put(_ROWS, self._rows)

    def _row(self, path: str) -> _Row | None:
        """What is kept of a file; None where nothing can be."""
        if self._storage is None:
            return None
        digest = self.digest(path)
        row = self._rows.get(path)
        return row if row is not None and row.digest == digest else None

    def _told(self, path: str) -> str:
        if self._sources.is_changed(path):
            source = self._sources.get(path)
            return "text:" + digest_of((source.raw, source.text, source.encoding, source.bom))
        seen = time.time_ns()
        try:
            found = os.stat(path)  # noqa: PTH116
            state = [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
            row = self._rows.get(path)
            if row is not None and row.state == state and max(state[:2]) + _COARSE < row.seen:
                return row.digest
            if found.st_size > (kinds.MOST_BYTES if kinds.is_config(path) else MOST_BYTES):
                return f"large:{state}"
            digest = digest_of(self._sources.raw(path))
        except (OSError, ValueError) as error:
            return f"none:{getattr(error, 'strerror', error)}"
        said = row.said if row is not None and row.digest == digest else {}
        self._rows[path] = _Row(state, seen, digest, said)
        self._is_new = True
        return digest


def _rows(kept: Json) -> dict[str, _Row]:
    try:
        return {path: _Row(*row) for path, row in kept.items()}
    except (AttributeError, TypeError):
        return {}
