"""One table for a terminal, with a remark or two below each line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from dlint.verify.judge.results import Mode, Outcome
from dlint.verify.report import words

_WIDTH = 96


def render(outcome: Outcome) -> str:
    """The results of a verification."""
    return "\n".join(_lines(outcome)) + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    if outcome.results:
        yield from _table(outcome)
    else:
        yield words.nothing(outcome)
    for left in outcome.not_tried:
        yield f"not tried: {left.name} at {words.place(left.spot)}: {left.why}"
    yield from outcome.notes
    if outcome.runs:
        yield ""
        yield words.scope(outcome)


def _table(outcome: Outcome) -> Iterator[str]:
    rows = [words.COLUMNS, *(words.row(result) for result in outcome.results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(words.COLUMNS))]
    yield _aligned(rows[0], widths)
    for result, row in zip(outcome.results, rows[1:], strict=True):
        yield _aligned(row, widths)
        if result.mode is Mode.ALONE and words.detail(result):
            yield f"    {words.detail(result)}"
        for remark in words.remarks(result):
            yield textwrap.indent("\n".join(textwrap.wrap(remark, _WIDTH)), "    ")
        yield from (f"      | {line}" for line in result.stderr.splitlines()[-8:])


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip()
