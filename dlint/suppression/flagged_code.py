"""The code that a finding is about, by which it is known again when lines come and go."""

from __future__ import annotations

import hashlib

from dlint.findings.places import Place, Span
from dlint.findings.regexes import lazily
from dlint.suppression.comments import Layout, Rows, layout
from dlint.workspace.kinds import is_config, is_shell
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError

_NAME_ALONE = lazily(r"[\w.]*")
_COMMENT = lazily(r"#[^\n]*\n")
_BLANKS = lazily(r"\s+")
_TRAILING_COMMA = lazily(r",(?=[)\]}])")
_MOST_ROWS = 20
"""Of a statement that is longer, only the row of a name stands for it."""
_NO_LINES = Layout((), (), frozenset())


class FlaggedCode:
    """Answers for findings in some sources.

    A finding speaks of what stands at its place, as far as that is one statement or the header of
    one; where that is a name alone, of the whole statement.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._layouts: dict[str, Layout] = {}

    def rows(self, place: Place) -> Rows:
        """The first and last row of the code, in the file as it is on disk."""
        source = self._source(place.path)
        if source is None:
            return 1, 1
        start, end = self._span(place, source)
        return source.physical(start)[0], source.physical(max(start, end - 1))[0]

    def text(self, place: Place) -> str:
        """The code as it is written; empty where the file cannot be read."""
        source = self._source(place.path)
        if source is None:
            return ""
        start, end = self._span(place, source)
        text = source.text[start:end]
        if not _NAME_ALONE.fullmatch(text):
            return text
        first = source.position(start)[0]
        around = self._layout(source).logical_line(first)
        first, last = around if around[1] - around[0] < _MOST_ROWS else (first, first)
        return "\n".join(map(source.line, range(first, last + 1)))

    def fingerprint(self, place: Place) -> str:
        """A short digest, which is the same however the code is laid out."""
        text = _COMMENT.sub("", self.text(place)).replace("'", '"')
        plain = _TRAILING_COMMA.sub("", _BLANKS.sub("", text))
        return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _span(self, place: Place, source: Source) -> Span:
        last = self._layout(source).logical_line(source.position(place.start)[0])[1]
        end = source.line_starts[last - 1] + len(source.line(last))
        return place.start, max(place.start, min(place.end, end))

    def _source(self, path: str) -> Source | None:
        try:
            return self._sources.get(path)
        except UnreadableError:
            return None

    def _layout(self, source: Source) -> Layout:
        """The logical lines; of configs none are known, so each row is one."""
        if source.path not in self._layouts:
            is_known = not is_config(source.path) or is_shell(source.path)
            self._layouts[source.path] = layout(source) if is_known else _NO_LINES
        return self._layouts[source.path]
