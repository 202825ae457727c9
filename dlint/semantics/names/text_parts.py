"""What a text is put together of, as far as it is written.

Question: which parts of a text stand in the code, and where does something computed stand between
them? Followed: `+`, `%`, `format` and f-strings, behind local names. Budget: `_MOST` parts; what
comes behind them counts as computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.ir import expressions as ex

_PLACES = {"%": re.compile(r"%[-+ #0-9.]*[a-zA-Z]"), "format": re.compile(r"\{[^{}]*\}")}
"""Where a template takes what is computed."""
_MOST = 50


def text_parts(expression: ex.Expression) -> Iterator[str | None]:
    """The parts of a text, in their order; None for what is computed."""
    waiting = [expression]
    for _ in range(_MOST):
        if not waiting:
            return
        match ex.unnamed(waiting.pop()):
            case ex.Constant(value=str(text)):
                yield text
            case ex.Format(parts=parts):
                waiting += reversed(parts)
            case ex.Binary(operator="+", left=left, right=right):
                waiting += [right, left]
            case ex.Binary(operator="%", left=ex.Constant(value=str(text))):
                yield from _filled(text, "%")
            case ex.Call(function=ex.Attribute(value=ex.Constant(value=str(text)), name="format")):
                yield from _filled(text, "format")
            case _:
                yield None
    yield None


def _filled(template: str, way: str) -> Iterator[str | None]:
    for index, part in enumerate(_PLACES[way].split(template)):
        yield from ([None] if index else [])
        yield from ([part] if part else [])


def written_begin(expression: ex.Expression) -> str:
    """How a text begins that is put together of several parts; empty where that is computed."""
    return next(text_parts(expression), None) or ""
