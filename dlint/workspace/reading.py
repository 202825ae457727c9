"""Files read: decoded as Python would, notebooks as modules, each at most once a run."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dlint.findings.regexes import lazily
from dlint.workspace import kinds
from dlint.workspace.source import MOST_BYTES, Source, UnreadableError

_SOME = 65536
"""Bytes that are read at once: most config files have fewer."""
_COMMANDS = lazily(rb"\n[ \t]*(?:%%?|!)[\w{$./~]")
"""What a line begins with that may be for IPython; the line end before it is found fast."""
_FIRST_COMMAND = lazily(rb"[ \t]*(?:%%?|!)[\w{$./~]")
_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0)


def decode(path: str, raw: bytes) -> Source:
    """Decode `raw` as Python would (byte order mark, coding comment, else UTF-8).

    Raises UnreadableError when the bytes are not in that encoding, or no notebook.
    """
    if kinds.is_notebook(path):
        from dlint.workspace.notebooks.reading import decode_notebook

        return decode_notebook(path, raw)
    bom = raw.startswith(codecs.BOM_UTF8)
    body = raw[len(codecs.BOM_UTF8) :] if bom else raw
    try:
        encoding = "utf-8" if bom else _encoding(raw)
        same = body if encoding == "utf-8" else None
        text = None if same is not None and same.isascii() else body.decode(encoding)
        return _without_commands(Source(path, text, encoding, bom, raw, same))
    except UnicodeDecodeError as error:
        row = body.count(b"\n", 0, error.start) + 1
        raise UnreadableError(f"cannot decode {path}: line {row}: {error}") from error
    except (SyntaxError, LookupError) as error:
        raise UnreadableError(f"cannot decode {path}: {error}") from error


def _without_commands(source: Source) -> Source:
    """A Python file whose cells hold no command of IPython; any other file as it is."""
    if not source.path.endswith(".py") or not _may_hold_commands(source.searchable):
        return source
    from dlint.workspace.notebooks.scripts import script_of

    return script_of(source)


def _may_hold_commands(text: bytes) -> bool:
    return bool(_COMMANDS.search(text) or _FIRST_COMMAND.match(text))


def _encoding(raw: bytes) -> str:
    """The encoding that a coding comment names. Raises SyntaxError where there is no such one."""
    if not any(b"coding" in line for line in raw.split(b"\n", 2)[:2]):
        return "utf-8"
    import io
    import tokenize

    return tokenize.detect_encoding(io.BytesIO(raw).readline)[0]


def read(path: str) -> Source:
    """Read one file. Raises UnreadableError, naming the file and the cause."""
    try:
        if kinds.is_notebook(path) and Path(path).stat().st_size > MOST_BYTES:
            from dlint.workspace.notebooks.reading import too_large

            return too_large(path)
        raw = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableError(f"cannot read {path}: {error.strerror or error}") from error
    return decode(path, raw)


def _small(path: str) -> bytes | None:
    """The bytes of a file; None of one that is too large for a config. Raises OSError."""
    file = os.open(path, _READING)
    try:
        raw = os.read(file, _SOME)
        if len(raw) == _SOME:
            if os.fstat(file).st_size > kinds.MOST_BYTES:
                return None
            while more := os.read(file, kinds.MOST_BYTES):
                raw += more
        return raw
    finally:
        os.close(file)


class Sources:
    """The sources of one run, each read at most once; `of_file` may know those of earlier runs."""

    def __init__(
        self,
        overrides: Mapping[str, Source] | None = None,
        of_file: Callable[[str], Source] = read,
    ) -> None:
        self._sources: dict[str, Source] = dict(overrides or {})
        self._changed = set(self._sources)
        self._of_file = of_file
        self.known: dict[object, Any] = {}
        """What was made of these texts alone, by the path and what it is."""
        self.large: set[str] = set()
        """Configs that were found too large to be read."""

    def get(self, path: str) -> Source:
        """The source at `path`. Raises UnreadableError."""
        source = self._sources.get(path)
        if source is None:
            source = self._sources[path] = self._of_file(path)
        return source

    def add(self, source: Source) -> None:
        """Let a text stand for a file that is not there yet."""
        self._sources[source.path] = source
        self._changed.add(source.path)

    def is_changed(self, path: str) -> bool:
        """Whether a text stands for a file, which holds another one or is not there."""
        return path in self._changed

    def was_read(self, path: str) -> bool:
        """Whether the text at a path was asked for, and is there."""
        return path in self._sources

    def raw(self, path: str) -> bytes:
        """The bytes of a file as they were read, or are now. Raises OSError."""
        source = self._sources.get(path)
        known = None if source is None else source.raw
        return Path(path).read_bytes() if known is None else known

    def glance(self, path: str) -> bytes:
        """The bytes of a config for a search; none of one that is too large or cannot be read."""
        source = self._sources.get(path)
        if source is not None:
            return source.searchable
        try:
            raw = _small(path)
        except OSError:
            return b""
        if raw is None:
            self.large.add(path)
        return raw or b""

    def with_changes(self, changed: Mapping[str, Source]) -> Sources:
        """These sources, with `changed` standing for the files at their paths."""
        sources = Sources({**self._sources, **changed}, self._of_file)
        sources._changed = self._changed | changed.keys()
        return sources
