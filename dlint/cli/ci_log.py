"""Text on its way into a log that a CI system searches for commands."""

from __future__ import annotations

import os

from dlint.findings.controls import without_commands

_SEARCHING = ("GITHUB_ACTIONS", "TF_BUILD")
"""What the systems set that obey `##[…]` and `##vso[…]` anywhere in a line."""


def logged(text: str, sign: str = r"\x23") -> str:
    """A text as it is printed here; `sign` stands for `#` in the text's own language."""
    is_searched = any(os.environ.get(name) for name in _SEARCHING)
    return without_commands(text, sign) if is_searched else text
