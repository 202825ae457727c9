"""Notebooks read from bytes; those that cannot matter are not looked into."""

from __future__ import annotations

import codecs

from dlint.workspace import scan
from dlint.workspace.notebooks.document import Document, NotANotebookError
from dlint.workspace.notebooks.notebook import Notebook
from dlint.workspace.source import MOST_BYTES, Source, UnreadableError


class Unread(Source):
    """A notebook that is not looked into: it has no text, and is written as it is."""

    def __init__(self, path: str, raw: bytes | None, *notices: str) -> None:
        super().__init__(path, "", raw=raw)
        self._notices = notices

    @property
    def notices(self) -> tuple[str, ...]:
        """Why it is left out, where that is worth telling."""
        return self._notices

    def encode(self, text: str) -> bytes:
        """The bytes on disk: there is no text to change."""
        del text
        return self.raw or b""


def too_large(path: str) -> Source:
    """What stands for a notebook that is too large."""
    return Unread(path, None, f"larger than {MOST_BYTES // 1_000_000} MB: not read")


def decode_notebook(path: str, raw: bytes) -> Source:
    """The module of a notebook. Raises UnreadableError where the bytes are none."""
    if not scan.may_matter(raw):
        return Unread(path, raw)
    bom = raw.startswith(codecs.BOM_UTF8)
    try:
        document = Document(raw.decode("utf-8-sig" if bom else "utf-8"))
    except (UnicodeDecodeError, NotANotebookError) as error:
        raise UnreadableError(f"cannot read {path}: {error}") from error
    return Notebook(path, document, bom, raw)
