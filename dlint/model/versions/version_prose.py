"""Versions in sentences: what a README, or a guide to the installation, says that a project needs.

Followed: `PyTorch 1.7.1`, `[PyTorch](...) >= 1.0`, `Python 3.6+`, `torch==1.4`, badges, commands
that install; of `1.x (tested with 1.4)` what was tested. Given up on: versions that stand far from
the name, and names without a version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import unquote

from dlint.findings.regexes import lazily
from dlint.library_facts.torch_versions import Version
from dlint.model.versions.version_specifiers import LAST, Admitted, admitted_by, together

_BETWEEN = r"[ \t:|`*_(\[\"'-]{0,8}"
_NUMBER = r"\d{1,2}\.(?:\d{1,2}|x\b)"
_NEWER = (
    r"\+(?!c)|[ \t]?\(?(?:or|and) (?:higher|later|newer|above|greater|up\b|upwards|more recent)"
    r"|[ \t]?及?以上"
)
_USED = (
    r"(?:[ \t]?\((?:\w+ )?(?:work|test|us|run|ran|verif|develop|train|check)\w*"
    r"(?: (?:at|in|on|by|with|under|using|version|to work))*[ \t]v?"
    rf"(?P<used>{_NUMBER}))?"
)
"""In brackets, the version that somebody has worked with."""
_BADGE = lazily(r"img\.shields\.io/badge/[^\s)\"'>]{1,300}")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(
        r"(?P<least>\b(?:at least|minimum|newer than|later than)[ \t]{1,3})?"
        rf"(?<![\w./-]){name}(?![a-z_])(?:\]\([^)\s]{{0,300}}\))?{_BETWEEN}"
        rf"(?:version|ver\.)?s?{_BETWEEN}(?:is[ \t]|was[ \t])?"
        rf"(?P<operator>[<>=~^≥]=?=?)?[ \t]{{0,2}}v?(?P<number>{_NUMBER})"
        rf"(?:\.(?:\d{{1,3}}|x\b))?(?:\.dev\d*|(?:a|rc)\d+)?"
        rf"(?:(?P<newer>{_NEWER})|[ \t]?(?:-|–|~|/|,|to|and|or)[ \t]?v?(?P<upper>{_NUMBER}))?"
        rf"{_USED}",
        re.IGNORECASE,
    )


def said_of(
    name: str, text: str, oldest: Version, newest: Version
) -> Iterator[tuple[int, Admitted]]:
    """Where sentences give versions of a package, as offsets, and which.

    Numbers outside of `oldest` and `newest` mean something else.
    """
    text = _BADGE.sub(_unbadged, text)
    for match in _pattern(name).finditer(text):
        number = match["number"].lower()
        used = None if match["used"] is None else _exactly(match["used"].lower())
        first = _exactly(number)
        second = _exactly((match["upper"] or number).lower())
        if not _lies(first, oldest, newest):
            continue
        if used is not None and _lies(used, oldest, newest):
            yield match.start("used"), used
            continue
        operator = (match["operator"] or "").replace("≥", ">=")
        if match["newer"] or match["least"]:
            yield match.start(), Admitted(first.oldest)
        elif operator.strip("=") and "x" not in number:
            yield match.start(), admitted_by(operator + number)
        else:
            both = [one for one in (first, second) if _lies(one, oldest, newest)]
            yield match.start(), together(both)


def _lies(said: Admitted, oldest: Version, newest: Version) -> bool:
    return (
        said.oldest is not None and oldest <= (said.newest or said.oldest) and said.oldest <= newest
    )


def _exactly(number: str) -> Admitted:
    """One minor version; of `1.x` all of them."""
    major, _, minor = number.partition(".")
    if minor == "x":
        return Admitted((int(major), 0), (int(major), LAST))
    return Admitted((int(major), int(minor)), (int(major), int(minor)))


def _unbadged(badge: re.Match[str]) -> str:
    """The words of a badge, on the same line."""
    words = unquote(badge[0]).replace("\n", " ").replace("--", "-").replace("_", " ")
    return words.replace("badge/", "badge ", 1)
