"""Messages in lines as wide as the terminal."""

from __future__ import annotations

_INDENT = "  "


def wrapped(text: str, first: int, width: int | None) -> str:
    """A text of which the first line begins at a column; as it is without a width."""
    if width is None:
        return text
    import textwrap

    lines = textwrap.fill(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines[first:]
