"""Versions as people write them: from the oldest to the newest minor version that is meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts.torch_versions import FACTS, Version, Window

LAST = 99
"""Stands for the last minor version of a major one."""

BOUND = r"(?:[<>=!~^]=?=?\s*\d[\w.*+]*)"
BOUNDS = rf"{BOUND}(?:\s*,\s*{BOUND})*"
_PART = lazily(r"\s*([<>=!~^]=?=?)?\s*(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d+))?(\.\*)?")


class Admitted(NamedTuple):
    """The oldest and the newest minor version that are admitted; None where it is open."""

    oldest: Version | None = None
    newest: Version | None = None

    def always(self, fact: str) -> bool:
        """Whether a fact of `library_facts.torch_versions` holds in every version."""
        return self.all_in(FACTS[fact])

    def ever(self, fact: str) -> bool:
        """Whether a fact of `library_facts.torch_versions` holds in some version."""
        return self.some_in(FACTS[fact])

    def all_in(self, window: Window) -> bool:
        """Whether every version lies in a window."""
        begins = window.first is None or (self.oldest or (0, 0)) >= window.first
        return begins and (window.last is None or (self.newest or (LAST, 0)) <= window.last)

    def some_in(self, window: Window) -> bool:
        """Whether some version lies in a window."""
        begins = window.first is None or (self.newest or (LAST, 0)) >= window.first
        return begins and (window.last is None or (self.oldest or (0, 0)) <= window.last)

    @property
    def in_words(self) -> str:
        """`1.7`, `1.5 to 1.13`, `2.0 or newer`, `1.x`."""
        oldest, newest = self
        if oldest is not None and newest == (oldest[0], LAST):
            return f"{oldest[0]}.x" if oldest[1] == 0 else f"{_text(oldest)} to {oldest[0]}.x"
        if oldest is None or newest is None:
            one = oldest or newest
            side = "or newer" if newest is None else "or older"
            return f"{_text(one)} {side}" if one is not None else "any version"
        return _text(oldest) if oldest == newest else f"{_text(oldest)} to {_text(newest)}"


OPEN = Admitted()


def _text(version: Version) -> str:
    return f"{version[0]}.{'x' if version[1] == LAST else version[1]}"


def together(found: Iterable[Admitted]) -> Admitted:
    """From the oldest to the newest version that any of them admits."""
    oldest, newest = zip(*found, strict=True)
    return Admitted(
        None if None in oldest else min(oldest),
        None if None in newest else max(newest),
    )


def admitted_by(bounds: str) -> Admitted:
    """What a specifier such as `>=1.8,<2`, `^1.13`, `==2.0.*` or `1.7.1` admits."""
    oldest: Version | None = None
    newest: Version | None = None
    for part in filter(None, map(_PART.match, bounds.split(","))):
        low, high = _range(*part.groups(""))
        oldest = low if oldest is None or (low is not None and low > oldest) else oldest
        newest = high if newest is None or (high is not None and high < newest) else newest
    return Admitted(oldest, newest)


def window_of(bounds: str) -> Window:
    """The window of versions that the front matter of a rule's page gives: `all`, `>=1.7`."""
    return Window(*admitted_by(bounds))


def _range(
    operator: str, major: str, minor: str, patch: str, star: str
) -> tuple[Version | None, Version | None]:
    version, whole = (int(major), int(minor or 0)), (int(major), LAST)
    match operator:
        case ">=" | ">":
            return version, None
        case "<=":
            return None, version if minor else (version[0], 0)
        case "<":
            return None, version if patch.strip("0") else _before(version)
        case "~=" if not patch:
            return version, whole
        case "^" if version[0]:
            return version, whole
        case "!=":
            return None, None
    return version, version if minor or (operator == "==" and not star) else whole


def _before(version: Version) -> Version:
    return (version[0], version[1] - 1) if version[1] else (version[0] - 1, LAST)
