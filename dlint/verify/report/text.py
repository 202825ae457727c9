"""One table for a terminal, with a remark or two below each line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from dlint.verify.judge.results import Mode, Outcome
from dlint.verify.judge.tuned import Tuning
from dlint.verify.report import tuned, words

_WIDTH = 96


def render(outcome: Outcome) -> str:
    """The results of a verification."""
    return "\n".join(_lines(outcome)) + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    if outcome.tuning is not None:
        yield from _tuning(outcome.tuning)
    if outcome.results:
        yield from _table(outcome)
    elif outcome.tuning is None:
        yield words.nothing(outcome)
    for left in outcome.not_tried:
        yield f"not tried: {left.name} at {words.place(left.spot)}: {left.why}"
    yield from outcome.notes
    if outcome.runs:
        yield ""
        yield words.scope(outcome)


def _tuning(tuning: Tuning) -> Iterator[str]:
    for said in filter(None, (tuning.answer, tuning.ceiling)):
        yield from textwrap.wrap(said, _WIDTH)
    yield ""
    rows = [tuned.COLUMNS, *tuned.rows(tuning)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield from (_aligned(row, widths) for row in rows)
    yield ""
    yield from textwrap.wrap(tuned.advice(tuning), _WIDTH, subsequent_indent="  ")
    for said in (*tuning.ideas, *tuning.written):
        yield from textwrap.wrap(said, _WIDTH)
    yield ""


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
