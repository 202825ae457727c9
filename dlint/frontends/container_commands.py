"""Shell scripts that start a container, in the default /dev/shm, which runs a script.

`docker run` and its kin become the call that `frontends.containers` makes of a Compose service. A
word before the image that may stand for further options leaves open what the container is given.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dlint.frontends.container_code import Container, built_images, runs_project
from dlint.frontends.containers import add_run, words_of, workers_of
from dlint.frontends.shell import commands
from dlint.library_facts import containers as known
from dlint.library_facts.shells import LAUNCHER, RUNNER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.findings.places import Span
    from dlint.frontends.shell import Given
    from dlint.ir.module import ModuleIndex

    Words = tuple[Given, ...]


class _Started(NamedTuple):
    """A container that is made: where, with which options, and all behind them."""

    place: Span
    words: Words


def add_runs(index: ModuleIndex, text: str) -> None:
    """Add the scripts that the containers of a shell script run."""
    said = commands(text)
    built = frozenset(built_images(said, text))
    for started in filter(None, map(_started, said)):
        if not any(known.SHARED in (w.text or text[w.start : w.end]) for w in started.words):
            command, container = _command(started.words, text)
            if runs_project(container, built, text):
                _add(index, started.place, command, container.words)


def _add(index: ModuleIndex, place: Span, command: Words, said: tuple[str, ...]) -> None:
    """Add the scripts that the words of a command name."""
    is_open = any("$" in word for word in said) or any(map(_is_unknown, command))
    for script in dict.fromkeys(_scripts(said)):
        add_run(index, place, script, workers_of([*said]), known.DOCKER, is_open=is_open)


def _started(words: Words) -> _Started | None:
    """The container that a command makes; None for other commands."""
    at = 0
    while at < len(words) and _is_before(words[at], at):
        at += 1
    texts = tuple(word.text or "" for word in words[at:])
    if texts and texts[0].rpartition("/")[2] in known.PROGRAMS:
        for starting in known.STARTING:
            behind = at + 1 + len(starting)
            if texts[1 : 1 + len(starting)] == starting:
                return _Started((words[at].start, words[behind - 1].end), words[behind:])
    return None


def _is_before(word: Given, at: int) -> bool:
    """Whether a program may stand behind a word: an assignment, `sudo` or a flag of it."""
    text = word.text or word.begins
    name, equals, _ = text.partition("=")
    is_assignment = bool(equals) and name.isidentifier()
    return text in known.BEFORE_PROGRAMS or is_assignment or (at > 0 and text.startswith("-"))


def _command(words: Words, text: str) -> tuple[Words, Container]:
    """What a container runs, with its entrypoint; nothing where /dev/shm is, or may be, another."""
    nothing: tuple[Words, Container] = (), Container((), None, ())
    options: list[tuple[str, Given]] = []
    at = 0
    while at < len(words) and words[at].is_flag:
        option, equals, _ = (words[at].text or words[at].begins).partition("=")
        takes = not equals and _takes_value(option)
        value = words[at + takes] if at + takes < len(words) else None
        if value is None or _decides(option, words[at], value, text):
            return nothing
        options.append((option, value))
        at += 1 + takes
    behind = words[at + 1 :]
    if at >= len(words) or (words[at].is_open and not _starts(behind)):
        return nothing
    entrypoints = [value for option, value in options if option == known.ENTRYPOINT]
    command = (*entrypoints[-1:], *behind)
    said = tuple(word for given in command for word in words_of(given.text or given.begins))
    return command, Container(tuple(options), words[at], said)


def _takes_value(option: str) -> bool:
    """Whether the next word is the value of an option that is written without `=`."""
    if option.startswith("--"):
        return option not in known.SWITCHES
    rest = option[1:].lstrip("".join(known.SHORT_SWITCHES))
    return len(rest) == 1


def _decides(option: str, word: Given, value: Given, text: str) -> bool:
    """Whether an option decides about /dev/shm, or may: its name or what it mounts is not known."""
    if option in known.DECIDING_OPTIONS or (word.text is None and "=" not in word.begins):
        return True
    is_whole = not set(":,") & set(text[value.start : value.end])
    return option in known.MOUNTING and value.text is None and is_whole


def _starts(words: Words) -> bool:
    """Whether words begin as those that a container is given to run do."""
    text = (words[0].text or "") if words else ""
    return text in known.SHELLS or text.endswith(".py") or RUNNER.fullmatch(text) is not None


def _is_unknown(given: Given) -> bool:
    """Whether the shell script gives a word that is not known; its own words come from outside."""
    return given.text is None and not given.is_outside


def _scripts(words: tuple[str, ...]) -> Iterator[str]:
    """The files that words name, of modules too."""
    for before, word in pairwise(["", *words]):
        if word.endswith(".py") and "$" not in word:
            yield word
        elif before == "-m" and LAUNCHER.match(word) is None:
            yield word.replace(".", "/") + ".py"
