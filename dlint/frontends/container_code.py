"""Whether the container that a command makes runs the code of the project, or its image's own.

It does where the folder of the shell script is mounted, where anything is mounted in the place that
the command works in, and where the image was built on this machine. An image of a registry brings
its own code, and one that is not known may.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts import containers as known

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dlint.frontends.shell import Given

_VARIABLE = lazily(r"\$\{?(\w+)\}?")
_HERE = lazily(r"(?:\$\(pwd\)|`pwd`|\$PWD|\$\{PWD\}|\.)(?:/|/?\.\.(?:/.*)?|/?\.)?")


class Container(NamedTuple):
    """What a command says of a container: its options with their values, the image, the words."""

    options: tuple[tuple[str, Given], ...]
    image: Given | None
    words: tuple[str, ...]
    """The words of what it runs."""


class _Mount(NamedTuple):
    source: str
    target: str


def runs_project(container: Container, built: frozenset[str], text: str) -> bool:
    """Whether a container runs what lies beside the shell script, whose text is given.

    `built`: the names of the images that the script builds.
    """
    mounts = [mount for option, value in container.options for mount in _mount(option, value, text)]
    if any(_HERE.fullmatch(mount.source) for mount in mounts):
        return True
    places = [*_workdirs(container, text), *_entered(container.words)]
    if any(_is_within(place, mount.target) for place in places for mount in mounts):
        return True
    if container.image is None:
        return False
    image = container.image.text
    is_built = _as_named(container.image, text) in built
    return is_built or (image is not None and _is_local(image))


def built_images(commands: Sequence[Sequence[Given]], text: str) -> Iterator[str]:
    """The names that the commands of a shell script give to images which they build.

    A name that is not known is as it is written: `"$IMAGE"`.
    """
    for words in commands:
        said = [word.text or "" for word in words]
        if not any(w.rpartition("/")[2] in known.PROGRAMS for w in said) or "build" not in said:
            continue
        for flag, name in pairwise(words):
            if flag.text in known.TAGGING:
                yield from filter(None, [_as_named(name, text)])


def _as_named(word: Given, text: str) -> str | None:
    """A word, or the variable that it is, if the script gives that no more than one value."""
    variable = _VARIABLE.fullmatch(_raw(word, text))
    if word.text is not None or variable is None:
        return word.text
    given = re.finditer(rf"(?<![\w$]){variable[1]}\+?=", text)
    is_given_again = any(True for _ in islice(given, 1, None))
    return None if is_given_again else f"${variable[1]}"


def _is_local(image: str) -> bool:
    """Whether an image has the name of none that a registry hands out to others."""
    return "/" not in image or image.startswith(known.OF_THIS_MACHINE)


def _mount(option: str, value: Given, text: str) -> Iterator[_Mount]:
    raw = _raw(value, text).partition("=")[2] if value.is_flag else _raw(value, text)
    if option not in known.MOUNTING:
        return
    if option == known.MOUNT:
        fields = dict[str, str](f.split("=", 1) for f in raw.split(",") if "=" in f)
        sources = (fields[name] for name in known.SOURCES if name in fields)
        targets = (fields[name] for name in known.TARGETS if name in fields)
        yield _Mount(next(sources, ""), next(targets, ""))
    else:
        source, colon, rest = raw.partition(":/")
        yield _Mount(source, "/" + rest.partition(":")[0] if colon else "")


def _workdirs(container: Container, text: str) -> Iterator[str]:
    """The folders in which the command works, as the options say."""
    for option, value in container.options:
        if option in known.WORKDIR:
            raw = _raw(value, text)
            yield raw.partition("=")[2] if value.is_flag else raw


def _entered(words: tuple[str, ...]) -> Iterator[str]:
    """The folders that a command enters, and the scripts that it names."""
    for before, word in pairwise(("", *words)):
        if before == "cd" or word.endswith(".py"):
            yield word


def _is_within(place: str, folder: str) -> bool:
    folder = folder.rstrip("/")
    return bool(folder) and (place == folder or place.startswith(folder + "/"))


def _raw(word: Given, text: str) -> str:
    """A word as it is written, without quotes."""
    return text[word.start : word.end].replace('"', "").replace("'", "")
