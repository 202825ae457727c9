"""Shell scripts that start a Python script: which one, and the words that it is given.

A variable stands for what the one assignment of the script gives it, outside of all branches, loops
and functions. What anything else gives is not known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dlint.dialects.shell_words import (
    Array,
    End,
    Letters,
    ShellError,
    Token,
    Variable,
    Word,
    read,
)
from dlint.knowledge import shells as known

Span = tuple[int, int]

_ASSIGNED = re.compile(r"(\w+)\+?=")
_DEPTH = 6


class Given(NamedTuple):
    """One word that a program is given, where its characters stand; None for one not known.

    `is_open`: it may stand for any number of words, options among them. `begins`: how a word that
    is not known begins.
    """

    text: str | None
    at: tuple[int, ...] = ()
    is_open: bool = False
    begins: str = ""

    def span(self, start: int = 0) -> Span | None:
        """Where the characters from `start` on stand; None where they are not side by side."""
        at = self.at[start:]
        if not at or at != tuple(range(at[0], at[0] + len(at))):
            return None
        return at[0], at[-1] + 1


class Started(NamedTuple):
    """A Python script or module that is started."""

    span: Span
    name: str
    is_module: bool
    given: tuple[Given, ...]
    launcher: tuple[Given, ...] = ()
    """The words before it."""

    def value(self, flags: frozenset[str]) -> tuple[Given, Given | None] | None:
        """The last word that is one of some flags, and the word that it is given."""
        return _value(self.given, flags)

    @property
    def ranks(self) -> int | None:
        """How many processes the launcher starts on one machine; None where it is not known."""
        found = _value(self.launcher, known.RANKS)
        if found is None:
            return 1
        text = None if found[1] is None else found[1].text
        return int(text) if text is not None and text.isdecimal() else None

    @property
    def is_open(self) -> bool:
        """Whether it is given options that are not known.

        What stands behind an option is its value. What the shell script itself is given (`"$@"`)
        comes from whoever starts it, as other words on the command line may.
        """
        before = (Given(""), *self.given)
        return any(w.is_open and not _is_flag(b) for b, w in zip(before, self.given, strict=False))


def _value(words: tuple[Given, ...], flags: frozenset[str]) -> tuple[Given, Given | None] | None:
    found: tuple[Given, Given | None] | None = None
    for index, word in enumerate(words):
        flag, equals, rest = (word.text or word.begins).partition("=")
        if flag not in flags:
            continue
        if word.text is None:
            found = word, None
        elif equals:
            found = word, Given(rest, word.at[len(flag) + 1 :])
        else:
            after = words[index + 1] if index + 1 < len(words) else None
            found = word, None if after is None or _is_flag(after) else after
    return found


def _is_flag(word: Given) -> bool:
    text = word.text or ""
    return text.startswith("-") and not text[1:2].isdigit()


def started(text: str) -> list[Started]:
    """What a script starts, in order; nothing of one that cannot be read."""
    try:
        tokens = read(text).tokens
    except (ShellError, RecursionError):
        return []
    script = _Script(list(_commands(tokens)))
    return [found for command in script.commands if (found := script.started(command)) is not None]


class _Command(NamedTuple):
    words: list[Word]
    is_certain: bool
    """Whether it is run whatever happens."""


def _commands(tokens: Sequence[Token]) -> Iterator[_Command]:
    """The commands of a script, with what surrounds them."""
    words: list[Word] = []
    around: list[str] = []
    for token in (*tokens, End(0, "\n")):
        if isinstance(token, Word):
            words.append(token)
            continue
        opened = len(around)
        words = _without_keywords(words, around)
        if words:
            yield _Command(words, not around and not opened)
        words = []
        if token.text == "(":
            around.append("(")
        elif token.text == ")" and around and around[-1] == "(":
            around.pop()


def _without_keywords(words: list[Word], around: list[str]) -> list[Word]:
    """The words behind `if`, `do` and the like, which open and close what is around."""
    while words:
        text = _plain(words[0])
        if text in known.OPENING:
            around.append(known.OPENING[text])
        elif text in known.CLOSING and around:
            around.pop()
        elif text not in known.BETWEEN:
            break
        if text in ("for", "select", "case"):
            return words
        words = words[1:]
    return words


def _plain(word: Word) -> str | None:
    """What a word says, if it holds neither quotes nor variables."""
    part = word.parts[0] if len(word.parts) == 1 else None
    return part.text if isinstance(part, Letters) else None


class _Script:
    def __init__(self, commands: list[_Command]) -> None:
        self.commands = commands
        self._values: dict[str, Word | None] = {}
        seen: defaultdict[str, int] = defaultdict(int)
        for command in commands:
            for name, word in _assigned(command):
                seen[name] += 1
                self._values[name] = word if seen[name] == 1 and command.is_certain else None
            if _reads_another(command):
                self._values = dict.fromkeys(self._values)

    def started(self, command: _Command) -> Started | None:
        """What a command starts."""
        given = [word for raw in command.words for word in self._expanded(raw, 0)]
        while given and _ASSIGNED.match(given[0].text or ""):
            given = given[1:]
        if given and given[0].text in known.RUNNING_TEXT:
            given = [part for word in given[1:] for part in _split(word)]
        if not given or given[0].text in known.TALKING:
            return None
        return _found(given)

    def _expanded(self, word: Word, depth: int) -> list[Given]:
        """The words that one word stands for."""
        fields: list[Given] = [Given("")] if word.parts else []
        for part in word.parts:
            if isinstance(part, Letters):
                added = [Given(part.text, part.at)]
            elif isinstance(part, Variable) and depth < _DEPTH:
                added = self._variable(part, depth + 1)
            else:
                added = [Given(None, is_open=True)]
            if added:
                fields[-1:] = [_joined(fields[-1], added[0]), *added[1:]]
        is_nothing = len(fields) == 1 and fields[0].text == "" and not _has_letters(word)
        return [] if is_nothing else fields

    def _variable(self, variable: Variable, depth: int) -> list[Given]:
        if variable.name in ("@", "*"):
            return [Given(None)]
        word = self._values.get(variable.name)
        if word is None:
            return [Given(None, is_open=not variable.quoted)]
        array = word.parts[-1]
        if isinstance(array, Array):
            return [g for inner in array.words for g in self._expanded(inner, depth)]
        start = word.parts[0]
        assert isinstance(start, Letters)
        skipped = start.text.index("=") + 1
        rest = Letters(start.text[skipped:], start.at[skipped:])
        fields = self._expanded(Word(word.start, word.end, (rest, *word.parts[1:])), depth)
        if variable.quoted or any(field.text is None for field in fields):
            return fields
        return [part for field in fields for part in _split(field)]


def _has_letters(word: Word) -> bool:
    return any(isinstance(part, Letters) for part in word.parts)


def _joined(left: Given, right: Given) -> Given:
    if left.text is None:
        return left._replace(is_open=False)
    if right.text is None:
        return right._replace(is_open=right.is_open and not left.text, begins=left.text)
    return Given(left.text + right.text, left.at + right.at)


def _split(word: Given) -> list[Given]:
    """The words of a text; those that hold quotes again are not known."""
    if word.text is None:
        return [word]
    return [
        Given(None if set(found[0]) & set("'\"$`") else found[0], word.at[slice(*found.span())])
        for found in re.finditer(r"\S+", word.text)
    ]


def _assigned(command: _Command) -> Iterator[tuple[str, Word | None]]:
    """The names that a command gives a value to; None for one that is not written out."""
    texts = [_first_letters(word) for word in command.words]
    if texts[0] in known.NAMING:
        for text in texts[1:]:
            yield re.sub(r"\W.*", "", text), None
    declares = texts[0] in known.DECLARING
    for word, text in zip(command.words, texts, strict=True):
        found = _ASSIGNED.match(text)
        if found is not None:
            alone = declares or all(map(_ASSIGNED.match, texts))
            yield found[1], word if alone and text[found.end(1)] == "=" else None
        elif not declares:
            return


def _first_letters(word: Word) -> str:
    part = word.parts[0] if word.parts else None
    return part.text if isinstance(part, Letters) else ""


def _reads_another(command: _Command) -> bool:
    """Whether another script is read, which may assign to any name."""
    text = _first_letters(command.words[0])
    if text not in (".", "source") or len(command.words) < 2:
        return False
    path = "".join(p.text for p in command.words[1].parts if isinstance(p, Letters))
    return not known.HARMLESS.search(path)


def _found(given: list[Given]) -> Started | None:
    """The script or module among the words of a command."""
    is_run = given[0].text is None
    for index, word in enumerate(given):
        text = word.text or ""
        after = given[index + 1] if index + 1 < len(given) else None
        if known.RUNNER.fullmatch(text):
            is_run = True
        elif text == "-c" and is_run:
            return None
        elif text == "-m" and is_run and after is not None and after.text is not None:
            if not known.LAUNCHER.match(after.text):
                return _started(after, given[index + 2 :], given[:index], is_module=True)
        elif text.endswith(".py") and (is_run or index == 0):
            return _started(word, given[index + 1 :], given[:index], is_module=False)
    return None


def _started(
    word: Given, given: list[Given], launcher: list[Given], *, is_module: bool
) -> Started | None:
    span = word.span()
    if span is None or word.text is None:
        return None
    return Started(span, word.text, is_module, tuple(given), tuple(launcher))
