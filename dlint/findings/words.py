"""Words that messages share."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def either(names: Sequence[str]) -> str:
    """In backquotes: one name, `a` or `b`, `a`, `b` or `c`."""
    quoted = [f"`{name}`" for name in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)
