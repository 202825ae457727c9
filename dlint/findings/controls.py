"""What a checked project may not do to a terminal or a log: move about in it, or turn it round."""

from __future__ import annotations

import re

from dlint.findings.links import PATTERN

_OWN = r"\x1b\[(?:0|1|1;31|1;33|1;36|31|32|34)m"
"""The colours of dlint's own reports."""
_CONTROL = rf"{_OWN}|{PATTERN}|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]"
_LINE_END = r"[\r\n]"
_COMMAND = r"(?<=#)#(?=\[|vso\[)"
"""The second half of what GitHub Actions and Azure Pipelines obey anywhere in a line of a log."""


def visible(text: str, *, colour: bool = False, links: bool = False) -> str:
    """A text whose control characters are spelled out, but for tabs and newlines.

    With `colour` the few escapes that reports are coloured with stay; with `links` those that
    lead to the documentation.
    """

    def shown(found: re.Match[str]) -> str:
        if len(found[0]) > 1 and (links if found[0][1] == "]" else colour):
            return found[0]
        return "".join(map(_spelled, found[0]))

    return text if text.replace("\n", "").isprintable() else re.sub(_CONTROL, shown, text)


def in_one_line(text: str) -> str:
    """A name as part of a line: the name of a file may hold newlines."""
    return re.sub(_LINE_END, lambda found: _spelled(found[0]), text)


def without_commands(text: str, sign: str = r"\x23") -> str:
    """A text as part of a CI system's log; `sign` stands for `#` in the text's own language."""
    return re.sub(_COMMAND, lambda _: sign, text)


def _spelled(character: str) -> str:
    if not character.isascii():
        return f"\\u{ord(character):04x}"
    return repr(character)[1:-1] if not character.isprintable() else character
