"""Indexes kept between runs, found again by the text that they were lowered from.

An entry is JSON, which cannot bring code in; one that cannot be read counts as none. A folder that
cannot be written to is used as far as it goes, without a word.

A folder inside a project may have come with it, entries and all, and an entry that says of a file
that it holds nothing would silence dlint. So there an entry is found by a key, too, which only this
user has: others cannot make one that would be looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from dlint import __version__
from dlint.ir.looked_at import Looked
from dlint.ir.serial import moved, read, written
from dlint.ir.unchanged import Answers, Pairs, Read, Unchanged, unchanged
from dlint.workspace.cache_folder import note_use, open_folder
from dlint.workspace.source import Source

if TYPE_CHECKING:
    from dlint.ir.module import ModuleIndex


class Store:
    """The indexes in one folder, which is made when the first of them is put there."""

    def __init__(self, top: Path, key: bytes = b"") -> None:
        """With a key, at most 64 bytes, entries that were put with another one are not found."""
        self._top = top
        self._key = key
        self._own: set[Path] = set()
        self._is_open = False
        self._is_writable = True

    def get(self, source: Source) -> ModuleIndex | None:
        """The index of a source; None where there is none that can be read."""
        found = self.read(source)
        return None if found is None else found.index

    def read(self, source: Source) -> Read | None:
        """The same, with its objects."""
        path = self._path(source)
        try:
            found = Read(*read(path.read_text("ascii"), source.path))
        except (OSError, ValueError, RecursionError):
            return None
        note_use(path)
        return found

    def name(self, source: Source) -> str:
        """The name of what is kept of a source: a digest of its text."""
        return blake2b(source.searchable, digest_size=16, key=self._key).hexdigest()

    def moved(self, name: str, source: Source) -> dict[int, int] | None:
        """Where the offsets of what is kept under a name lie in the index of a source.

        None where either is not kept, or they differ in more than places.
        """
        try:
            before = self._at(name).read_text("ascii")
            return moved(before, self._path(source).read_text("ascii"))
        except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return None

    def unchanged(
        self,
        name: str,
        source: Source,
        looked: Looked,
        asked: Callable[[Read, Read], Pairs],
        answers: Answers,
    ) -> Unchanged | None:
        """How what is kept under a name lies in the index of a source, as far as it was read.

        None where either is not kept, or what was read is not the same.
        """
        try:
            texts = (self._at(name).read_text("ascii"), self._path(source).read_text("ascii"))
            before, after = (Read(*read(text, source.path)) for text in texts)
            return unchanged(before, after, looked, asked(before, after), answers)
        except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return None

    def put(self, source: Source, index: ModuleIndex) -> Read:
        """Keep an index. Returns it with its objects, as it is read again."""
        text, objects = written(index)
        self._write(self._path(source), text)
        return Read(index, objects)

    def holds(self, source: Source) -> bool:
        """Whether something was put here for the source, which then is valid Python."""
        path = self._path(source)
        if not path.exists():
            return False
        note_use(path)
        return True

    def lacks(self, source: Source) -> bool:
        """Whether no index was put here for the source."""
        try:
            return self._path(source).stat().st_size == 0
        except OSError:
            return True

    def put_mark(self, source: Source) -> None:
        """Keep no more than that the source is valid Python."""
        self._write(self._path(source), "")

    @cached_property
    def _folder(self) -> Path:
        return self._top / f"{__version__}-{_lowering()}"

    def _path(self, source: Source) -> Path:
        return self._at(self.name(source))

    def _at(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.json"

    def _write(self, path: Path, text: str) -> None:
        """Put a file in its place at once, so that nobody reads half of it."""
        if not self._is_writable:
            return
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            if not self._is_open:
                self._is_open = True
                open_folder(self._top)
            if self._leads_elsewhere(path.parent):
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(text, "ascii")
            temporary.replace(path)
        except OSError:
            self._is_writable = path.exists()  # on Windows nobody replaces what another one reads
            with suppress(OSError):
                temporary.unlink()

    def _leads_elsewhere(self, folder: Path) -> bool:
        """Whether a folder of the cache is a link out of it."""
        if folder not in self._own:
            if not folder.resolve().is_relative_to(self._top.resolve()):
                return True
            self._own.add(folder)
        return False


@cache
def _lowering() -> str:
    """A digest of the code that lowers: what other code has put there is not its own."""
    digest = blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
