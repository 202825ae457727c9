"""Where the documentation is on the web, and how a terminal is given a link to it."""

from __future__ import annotations

SITE = "https://dataloader-lint.readthedocs.io/"
"""The address of the documentation, which the site's settings, too, take from here."""

_OPEN, _END = "\x1b]8;;", "\x1b\\"

PATTERN = rf"\x1b\]8;;(?:{SITE.replace('.', '[.]')}rules/[a-z0-9-]+/)?\x1b\\"
"""The escapes that `linked` writes, and no others."""


def rule_page(name: str) -> str:
    """The address of a rule's page. It stays the same as long as the rule has its name."""
    return f"{SITE}rules/{name}/"


def linked(text: str, address: str) -> str:
    """The text as a hyperlink, as terminals take it (OSC 8)."""
    return f"{_OPEN}{address}{_END}{text}{_OPEN}{_END}"
