"""Shell scripts that start a Python script: which one, and the words that it is given.

Only what stands before the first branch, loop, function, `cd` or `exit` of a script, and neither
behind `&&`, `||` nor a pipe, is certain to be run as written. A variable is known if the script
gives it one plain word there, and names it nowhere else but to read it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import NamedTuple

from dlint.findings.regexes import lazily
from dlint.frontends.shell_words import End, Letters, ShellError, Token, Variable, Word, read
from dlint.library_facts import shells as known

Span = tuple[int, int]

_ASSIGNED = lazily(r"[A-Za-z_]\w*\+?=", re.A)
_PLAIN = lazily(r"(?:export )?([A-Za-z_]\w*)=([\w./:-]+)", re.A)
_NAMED = lazily(r"(\$\{|\$|--)?(\w+)(\}?)", re.A)
_MOST_RUNS = 200


class Given(NamedTuple):
    """One word that a program is given; its text is None where it is not known.

    `at`: where each character stands, if the word holds no variable. `is_open`: it may stand for
    any number of words, options among them. `is_outside`: these come from whoever starts the shell
    script. `begins`: how a word that is not known begins.
    """

    text: str | None
    start: int
    end: int
    at: tuple[int, ...] = ()
    is_open: bool = False
    is_outside: bool = False
    begins: str = ""

    @property
    def span(self) -> Span:
        """Where its characters stand, without quotes if they are side by side."""
        at = self.at
        if at and at == tuple(range(at[0], at[0] + len(at))):
            return at[0], at[-1] + 1
        return self.start, self.end

    @property
    def is_flag(self) -> bool:
        """Whether it is the name of an option."""
        text = self.text or self.begins
        return text.startswith("-") and not text[1:2].isdigit()


class Started(NamedTuple):
    """A Python script or module that is started."""

    span: Span
    name: str
    is_module: bool
    given: tuple[Given, ...]
    launcher: tuple[Given, ...]
    """The words before it."""
    is_run: bool
    """Whether it is run for certain."""

    @property
    def is_certain(self) -> bool:
        """Whether it is run for certain, with these words and no others."""
        return self.is_run and not any(_open((*self.launcher, *self.given)))

    @property
    def open_values(self) -> tuple[str, ...] | None:
        """The options whose value may stand for several words; None where others may, too."""
        behind = [flag for flag, _ in _open((*self.launcher, *self.given))]
        return tuple(flag for flag in behind if flag) if all(behind) else None

    def value(self, flags: frozenset[str]) -> tuple[Given, Given | None] | None:
        """The last word that is one of some flags, and the word that it is given, if known."""
        return _value(self.given, flags)

    @property
    def ranks(self) -> int | None:
        """How many processes, at least, the launcher starts on one machine; None if not known."""
        found = _value(self.launcher, known.RANKS)
        text = "1" if found is None else (found[1] and found[1].text) or ""
        return int(text) if re.fullmatch("[0-9]{1,4}", text) else None

    @property
    def is_open(self) -> bool:
        """Whether the shell script may give it options that are not known.

        What stands behind an option is its value. What the shell script is given itself (`"$@"`)
        comes from whoever starts it, as other words on the command line may.
        """
        return any(not word.is_outside and not flag for flag, word in _open(self.given))


def _open(words: Sequence[Given]) -> Iterator[tuple[str, Given]]:
    """The words that may stand for several, each with the option that it stands behind."""
    before = (None, *words)
    for flag, word in zip(before, words, strict=False):
        if word.is_open:
            is_value = flag is not None and flag.is_flag and not word.is_outside
            yield (flag.text or "") if flag is not None and is_value else "", word


def _value(words: tuple[Given, ...], flags: frozenset[str]) -> tuple[Given, Given | None] | None:
    found: tuple[Given, Given | None] | None = None
    for index, word in enumerate(words):
        flag, equals, rest = (word.text or word.begins).partition("=")
        if flag not in flags:
            if _may_be(flag, flags):
                found = word, None
        elif word.text is None:
            found = word, None
        elif equals:
            found = word, word._replace(text=rest, at=word.at[len(flag) + 1 :])
        else:
            after = words[index + 1] if index + 1 < len(words) else None
            found = word, None if after is None or after.is_flag else after
    return found


def _may_be(word: str, flags: frozenset[str]) -> bool:
    """Whether a word is the beginning of a long flag, or a short one with its value (`-j8`)."""
    if word.startswith("--"):
        return len(word) > 2 and any(flag.startswith(word) for flag in flags)
    return any(len(flag) == 2 and word.startswith(flag) for flag in flags)


def started(text: str) -> list[Started]:
    """What a script starts, in order; nothing of one that cannot be read."""
    try:
        tokens = read(text).tokens
    except ShellError:
        return []
    commands = list(_commands(tokens))
    values = _Values(text, commands)
    found = [one for command in commands if (one := _started(command, values)) is not None]
    return found if len(found) <= _MOST_RUNS else []


def commands(text: str) -> list[tuple[Given, ...]]:
    """The words of each command, wherever it stands; nothing of a script that cannot be read."""
    try:
        found = list(_commands(read(text).tokens))
    except ShellError:
        return []
    values = _Values(text, found)
    return [tuple(_given(word, values) for word in command.words) for command in found]


class _Command(NamedTuple):
    words: list[Word]
    is_certain: bool
    """Whether it is run whatever happens."""
    end: str
    """What stands behind it."""


def _commands(tokens: Sequence[Token]) -> Iterator[_Command]:
    """The commands of a script."""
    words: list[Word] = []
    before, is_straight = "\n", True
    for token in (*tokens, End(0, "\n")):
        if isinstance(token, Word):
            words.append(token)
            continue
        first = _plain(words[0]) if words else None
        is_straight = is_straight and first not in known.OPENING
        if words:
            yield _Command(words, is_straight and before in known.PLAIN_ENDS, token.text)
        is_straight = is_straight and first not in known.LEAVING and token.text in known.ENDS
        if words or token.text != "\n":
            before = token.text
        words = []


def _plain(word: Word) -> str | None:
    """What a word says, if it holds neither variables nor what is hidden."""
    texts = [part.text for part in word.parts if isinstance(part, Letters)]
    return "".join(texts) if len(texts) == len(word.parts) else None


class _Values:
    """The variables of a script that are known."""

    def __init__(self, text: str, commands: list[_Command]) -> None:
        self._known: dict[str, tuple[int, str]] = {}
        if any(map(_may_assign, commands)):
            return
        named = Counter(
            found[2]
            for found in _NAMED.finditer(text)
            if found[1] not in ("$", "--") and not (found[1] and found[3])
        )
        for command in commands:
            said = " ".join(_plain(word) or "$" for word in command.words)
            plain = _PLAIN.fullmatch(said) if command.is_certain else None
            if plain and command.end in ("\n", ";") and named[plain[1]] == 1:
                self._known[plain[1]] = command.words[-1].end, plain[2]

    def of(self, variable: Variable, offset: int) -> str | None:
        """What a variable holds at some place of the script; None where that is not known."""
        end, text = self._known.get(variable.name, (offset, None))
        return text if end < offset else None


def _may_assign(command: _Command) -> bool:
    """Whether a command may give a value to a variable that it does not name."""
    words = list(dropwhile(_is_before_command, command.words))
    first = _plain(words[0]) if words else None
    if first in known.ASSIGNING:
        return True
    return first in known.EXPORTING and any(
        not re.match("[A-Za-z_]", _first_letters(word)) for word in words[1:]
    )


def _is_before_command(word: Word) -> bool:
    return _plain(word) in known.BEFORE_COMMANDS or bool(_ASSIGNED.match(_first_letters(word)))


def _first_letters(word: Word) -> str:
    part = word.parts[0] if word.parts else None
    return part.text if isinstance(part, Letters) else ""


def _given(word: Word, values: _Values) -> Given:
    """A word with the values of its variables."""
    text, at = "", list[int]()
    for part in word.parts:
        if isinstance(part, Letters):
            text += part.text
            at += part.at
            continue
        value = values.of(part, word.start) if isinstance(part, Variable) else None
        if value is None:
            is_outside = isinstance(part, Variable) and part.name in ("@", "*")
            is_one = isinstance(part, Variable) and part.quoted and not is_outside
            is_alone = all(isinstance(p, Letters) and not p.text for p in word.parts if p != part)
            is_open = (is_alone and not is_one) or (text.startswith("-") and "=" not in text)
            return Given(None, word.start, word.end, (), is_open, is_outside, text)
        text += value
    at = at if len(at) == len(text) else []
    return Given(text, word.start, word.end, tuple(at))


def _started(command: _Command, values: _Values) -> Started | None:
    """What a command starts."""
    given = [_given(word, values) for word in command.words]
    while given and _ASSIGNED.match(given[0].text or given[0].begins):
        given = given[1:]
    if not given or given[0].text in known.TALKING:
        return None
    at = _place_of_script(given)
    if at is None:
        return None
    word, behind = given[at], given[at + 1 :]
    is_certain = command.is_certain and _is_plain(given[:at])
    is_certain = is_certain and not any(w.text == "--" for w in given)
    is_module = at > 0 and given[at - 1].text == "-m"
    launcher = tuple(given[:at])
    return Started(word.span, word.text or "", is_module, tuple(behind), launcher, is_certain)


def _place_of_script(given: list[Given]) -> int | None:
    """Which word of a command is the script or module that it starts."""
    is_run = given[0].text is None
    for index, word in enumerate(given):
        text = word.text or ""
        is_launcher = known.LAUNCHER.match(text) is not None
        if known.RUNNER.fullmatch(text):
            is_run = True
        elif text.endswith(".py") and (is_run or index == 0):
            return index
        elif is_run and text in ("-c", "-"):
            return None
        elif is_run and not is_launcher and given[index - 1].text == "-m":
            return index if text else None
        elif is_run and not is_launcher and _is_argument(given, index):
            return None
    return None


def _is_argument(given: list[Given], index: int) -> bool:
    """Whether a word is neither an option nor, perhaps, the value of one."""
    word = given[index]
    return index > 0 and not (word.is_flag or word.is_open or given[index - 1].is_flag)


def _is_plain(launcher: list[Given]) -> bool:
    """Whether the words before a script are known to start it, in the folder where they stand."""
    for index, word in enumerate(launcher):
        if known.RUNNER.fullmatch(word.text or ""):
            return True
        is_value = index > 0 and launcher[index - 1].is_flag
        if not (word.text in known.WRAPPERS or (index and (word.is_flag or is_value))):
            return False
    return not launcher
