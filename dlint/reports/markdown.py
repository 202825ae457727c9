"""Messages as Markdown: code stays code, and nothing else of them is taken for markup."""

from __future__ import annotations

import re

from dlint.findings.regexes import lazily

_CODE = lazily(r"(`[^`]*`)")
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "@": "&#64;",
    "`": "&#96;",
    "://": "&#58;//",
    "www.": "www&#46;",
}
"""What no backslash takes the meaning from: tags, names of people, addresses."""
_MARKUP = lazily(r"[&<>@`]|[\\*_\[\]~|!#]|://|www\.", re.I)


def escaped(text: str) -> str:
    """A message in one line: its spans in backticks are code, the rest is plain text."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if _CODE.fullmatch(part) else _MARKUP.sub(_plain, part) for part in parts)


def _plain(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0].lower(), f"\\{found[0]}")
