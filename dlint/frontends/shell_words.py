"""The words of a shell script, and where each character of them stands.

Told apart are quotes, comments, variables, redirections and what ends a command. What a
substitution gives is hidden, and heredocs are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dlint.findings.regexes import lazily

_BLANK = lazily(r"(?:[ \t]|\\\r?\n)+")
_ENDS = lazily(r"\r?\n|;;&?|;&|;|&&|\|\||\|&|\||&(?!>)|\(|\)")
_REDIRECTS = lazily(r"(?:[0-9]*|&)(?:<<<|(<<-?)|<>|>>|<&|>&|>\||<|>)&?")
_VARIABLE = lazily(r"\$(?:\{(\w+)\}|(\w+|[@*]))", re.A)
_PLAIN = lazily(r"[^ \t\r\n\\'\"$`;&|()<>]+")
_QUOTED = lazily(r"[^\"\\$`]+")
_INSIDE = lazily(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|[(){}]", re.S)
_STOPS = frozenset(" \t\r\n;&|()<>")
_ESCAPED = frozenset('$`"\\')
"""What a backslash takes its meaning from between double quotes."""


_MOST = 100_000
"""Characters."""


class ShellError(ValueError):
    """A text that is no script, is too long, or has quotes or brackets that do not close."""


class Letters(NamedTuple):
    """Characters that stand for themselves, and the offset of each."""

    text: str
    at: tuple[int, ...]


class Variable(NamedTuple):
    """`$name`; between quotes it stays one word."""

    name: str
    quoted: bool


class Hidden(NamedTuple):
    """What only a running shell knows."""


Part = Letters | Variable | Hidden


class Word(NamedTuple):
    """One word as it is written."""

    start: int
    end: int
    parts: tuple[Part, ...]


class End(NamedTuple):
    """What ends a command: a new row, `;`, `&&`, a bracket."""

    start: int
    text: str


Token = Word | End


class Reading(NamedTuple):
    """What a text holds."""

    tokens: list[Token]
    comments: list[tuple[int, int]]


def read(text: str) -> Reading:
    """The words of a script and its comments. Raises ShellError."""
    if len(text) > _MOST:
        raise ShellError("too long to be written by hand")
    lexer = _Lexer(text)
    return Reading(list(lexer.tokens()), lexer.comments)


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._heredocs: list[str] = []
        self.comments: list[tuple[int, int]] = []

    def tokens(self) -> Iterator[Token]:
        """The tokens up to the end of the text."""
        while self._skip_blanks():
            end = _ENDS.match(self._text, self._position)
            if end is not None:
                self._position = end.end()
                yield End(end.start(), end[0].lstrip("\r"))
                if end[0].endswith("\n"):
                    self._pass_heredocs()
            elif not self._redirected():
                yield self._word()

    def _skip_blanks(self) -> bool:
        """Go to what is neither blank nor a comment; whether there is more."""
        while True:
            if found := _BLANK.match(self._text, self._position):
                self._position = found.end()
            if not self._text.startswith("#", self._position):
                return self._position < len(self._text)
            end = self._text.find("\n", self._position)
            end = len(self._text) if end < 0 else end
            self.comments.append((self._position, end))
            self._position = end

    def _redirected(self) -> bool:
        """Pass over a redirection and its file; whether there was one."""
        found = _REDIRECTS.match(self._text, self._position)
        if found is None or self._text.startswith("(", found.end()):
            return False
        self._position = found.end()
        self._skip_blanks()
        target = self._word()
        if found[1]:
            self._heredocs.append("".join(p.text for p in target.parts if isinstance(p, Letters)))
        return True

    def _pass_heredocs(self) -> None:
        for mark in self._heredocs:
            close = re.compile(rf"^\t*{re.escape(mark)}\r?$", re.M)
            found = close.search(self._text, self._position)
            if found is None:
                raise ShellError(f"`{mark}` does not end the text that it opens")
            self._position = found.end()
        self._heredocs.clear()

    def _word(self) -> Word:
        start, parts = self._position, list[Part]()
        while self._position < len(self._text):
            here = self._text[self._position]
            if here == "(" and _is_assigned(parts):
                parts.append(self._hidden(self._position))
            elif here in "<>" and not parts and self._text.startswith("(", start + 1):
                parts.append(self._hidden(start + 1))
            elif here in _STOPS:
                break
            else:
                parts += self._part(here)
        if self._position == start:
            raise ShellError(f"no word at character {start}")
        return Word(start, self._position, tuple(parts))

    def _part(self, here: str) -> Iterator[Part]:
        if here == "'":
            start = self._position + 1
            end = self._text.find("'", start)
            yield self._letters(start, end)
            self._position = end + 1
        elif here == '"':
            yield from self._between_quotes()
        elif here in "$`":
            yield self._expansion(quoted=False)
        elif here == "\\":
            self._position += 2
            kept = self._text[self._position - 1 : self._position]
            yield Letters("", ()) if kept in "\r\n" else Letters(kept, (self._position - 1,))
        else:
            yield self._run(_PLAIN)

    def _run(self, pattern: re.Pattern[str]) -> Letters:
        found = pattern.match(self._text, self._position)
        if found is None:
            raise ShellError(f"no word at character {self._position}")
        self._position = found.end()
        return self._letters(*found.span())

    def _letters(self, start: int, end: int) -> Letters:
        if end < 0:
            raise ShellError(f"the quote at character {start} does not close")
        return Letters(self._text[start:end], tuple(range(start, end)))

    def _between_quotes(self) -> Iterator[Part]:
        self._position += 1
        yield Letters("", ())
        while self._position < len(self._text):
            here, at = self._text[self._position], self._position
            if here == '"':
                self._position += 1
                return
            if here in "$`":
                yield self._expansion(quoted=True)
                continue
            if here != "\\":
                yield self._run(_QUOTED)
                continue
            if self._text[at + 1 : at + 2] in _ESCAPED | {"\n"}:
                here, at = self._text[at + 1].strip("\n"), at + 1
            yield Letters(here, (at,) if here else ())
            self._position = at + 1
        raise ShellError("a double quote does not close")

    def _expansion(self, *, quoted: bool) -> Part:
        """A variable, or what is hidden; the `$` alone stands for itself."""
        start = self._position
        if self._text[start] == "`":
            end = self._text.find("`", start + 1)
            if end < 0:
                raise ShellError("a backtick does not close")
            self._position = end + 1
            return Hidden()
        found = _VARIABLE.match(self._text, start)
        if found is not None:
            self._position = found.end()
            return Variable(found[1] or found[2], quoted)
        if self._text[start + 1 : start + 2] in ("(", "{"):
            return self._hidden(start + 1)
        self._position += 1
        return Letters("$", (start,)) if quoted else Hidden()

    def _hidden(self, opening: int) -> Hidden:
        """Pass over what stands between brackets."""
        depth = 0
        for found in _INSIDE.finditer(self._text, opening):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(found[0], 0)
            if depth == 0 and found[0] in ")}":
                self._position = found.end()
                return Hidden()
        raise ShellError(f"the bracket at character {opening} does not close")


def _is_assigned(parts: list[Part]) -> bool:
    last = parts[-1] if parts else None
    return len(parts) == 1 and isinstance(last, Letters) and last.text.endswith("=")
