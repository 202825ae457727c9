"""The comments of a shell script, and the rows of its commands."""

from __future__ import annotations

from bisect import bisect_left

from dlint.frontends.shell_words import End, ShellError, Word, read
from dlint.suppression.comments import Comment, Layout, Rows
from dlint.workspace.source import Source


def shell_layout(source: Source) -> Layout:
    """The comments and commands of a script; none of one that cannot be read."""
    try:
        reading = read(source.text)
    except ShellError:
        return Layout((), (), frozenset())

    def row(offset: int) -> int:
        return source.position(offset)[0]

    lines: list[Rows] = []
    ends: set[int] = set()
    words: list[Word] = []
    for token in (*reading.tokens, End(len(source.text), "\n")):
        if isinstance(token, Word):
            words.append(token)
        elif token.text == "\n":
            ends.add(row(token.start))
            if words:
                lines.append((row(words[0].start), row(token.start)))
            words = []
    comments = (_comment(source, span, lines) for span in reading.comments)
    return Layout(tuple(comments), tuple(lines), frozenset(ends))


def _comment(source: Source, span: Rows, lines: list[Rows]) -> Comment:
    """A comment, which covers its row or, on a row of its own, the command below."""
    row, column = source.position(span[0])
    covers = row, row
    if not source.line(row)[: column - 1].strip():
        below = bisect_left(lines, (row, 0))
        covers = lines[below] if below < len(lines) else covers
    return Comment(row, span[0], source.text[span[0] : span[1]].rstrip("\r"), covers)
