"""Rules of packages that are installed beside dlint, by their entry points `dlint.rules`.

Every run asks which there are, so a look at bytes comes before `importlib.metadata` is imported.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

GROUP = "dlint.rules"
CODE = r"(?!DLT)[A-Z]{2,10}\d{1,5}"
"""Codes that begin with DLT are kept for rules to come."""
_INFO = (".dist-info", ".egg-info")
_SECTION = f"[{GROUP}]".encode()
_NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_MOST = 1 << 20
"""Bytes of metadata that are read."""


class OwnPage(NamedTuple):
    """A page of a rule that is none of dlint's, and the module that holds its check."""

    name: str
    path: Path
    module: str
    package: str
    """The distribution that it is installed with."""


class OwnPages(NamedTuple):
    """What packages bring, in the order of their names; and what is wrong with them."""

    pages: tuple[OwnPage, ...]
    problems: tuple[str, ...]


def find(folders: Iterable[str]) -> OwnPages:
    """The pages of the packages that are installed in some folders."""
    pages: list[OwnPage] = []
    problems: list[str] = []
    for distribution, name, package in sorted(set(_entry_points(folders))):
        try:
            pages += _pages(distribution, package)
        except (Exception, SystemExit) as error:
            told = f"{type(error).__name__}: {error}"
            problems.append(
                f"the rules of `{distribution}` are not used: its entry point `{name}` in "
                f"`{GROUP}` cannot be read: {told}"
            )
    return OwnPages(tuple(pages), tuple(problems))


@cache
def installed() -> OwnPages:
    """What is installed where this Python imports from, but for the working directory."""
    here = os.getcwd()  # noqa: PTH109
    return find(folder for folder in sys.path if folder not in ("", here))


def _entry_points(folders: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Distribution, name and value of each entry point."""
    for path in _speaking(folders):
        from importlib.metadata import Distribution

        distribution = Distribution.at(path)
        for entry in distribution.entry_points.select(group=GROUP):
            yield distribution.metadata["Name"], entry.name, entry.value.strip()


def _speaking(folders: Iterable[str]) -> Iterator[Path]:
    """The metadata of distributions that name rules."""
    for folder in dict.fromkeys(folders):
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208
                path = f"{folder}{os.sep}{name}"
                if name.endswith(_INFO) and _SECTION in _read(f"{path}{os.sep}entry_points.txt"):
                    yield Path(path)


def beginning(path: str, size: int) -> bytes:
    """So many bytes of a file, in the fewest calls: every run reads many. Raises OSError."""
    file = os.open(path, _READING)
    try:
        return os.read(file, size)
    finally:
        os.close(file)


def _read(path: str) -> bytes:
    try:
        return beginning(path, _MOST)
    except OSError:
        return b""


def _pages(distribution: str, package: str) -> Iterator[OwnPage]:
    """The pages in the folder of a package. Raises whatever importing what is above it raises."""
    from importlib.util import find_spec

    spec = find_spec(package)
    folders = None if spec is None else spec.submodule_search_locations
    if folders is None:
        raise ModuleNotFoundError(f"there is no package `{package}`")
    found = sorted(path for folder in folders for path in Path(folder).glob("*.md"))
    rules = [path for path in found if re.fullmatch(_NAME, path.stem)]
    if not rules:
        raise FileNotFoundError(f"no page `<rule-name>.md` lies in the package `{package}`")
    for path in rules:
        module = f"{package}.{path.stem.replace('-', '_')}"
        yield OwnPage(path.stem, path, module, distribution)
