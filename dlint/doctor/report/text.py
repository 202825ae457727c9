"""A diagnosis for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from dlint.doctor.report import words
from dlint.doctor.report.words import Row, Values

_WIDTH = 96


def render(found: Values) -> str:
    """The answer, what it rests on, and what could be done."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Values) -> Iterator[str]:
    yield from _wrapped(words.answer(found))
    if (most := words.ceiling(found)) is not None:
        yield from _wrapped(most)
    for caution in words.cautions(found):
        yield from _wrapped(caution)
    yield from _table(words.STEP, words.step_rows(found), words.step_remarks(found))
    yield from _table(("an epoch", *words.STEP[1:]), words.epoch_rows(found), ())
    if found["fetching"] is not None:
        head = (words.fetching_title(found), *words.FETCHING[1:])
        yield from _table(head, words.fetching_rows(found), words.fetching_remarks(found))
    if (facts := words.machine(found)) is not None:
        yield ""
        yield from _wrapped(f"machine: {facts}")
    yield from _listed("too little:", found["tight"])
    yield from _listed("hazards:", map(words.hazard, found["hazards"]))
    if found["trial"] is not None:
        yield from ("", "settings that these figures speak for:", f"      {found['trial']}")
    if found["tune"] is not None:
        yield from ("", "what looks for the best settings:", f"      {found['tune']}")
    if found["remedies"]:
        yield from ("", "findings, by what they can bring here:")
    for one in found["remedies"]:
        yield from _wrapped(words.remedy(one), "  ")
        yield f"      {words.command(one)}"
    yield from _wrapped_notes(found)
    yield from ("", words.scope(found))


def _wrapped_notes(found: Values) -> Iterator[str]:
    if found["failure"] is not None:
        yield from ("", found["failure"])
    for note in found["notes"]:
        yield from _wrapped(note)


def _listed(title: str, lines: Iterable[str]) -> Iterator[str]:
    known = list(lines)
    if known:
        yield from ("", title)
    for line in known:
        yield from _wrapped(line, "  ")


def _table(head: Row, rows: Iterable[Row], remarks: Iterable[str]) -> Iterator[str]:
    known = words.table(head, rows)
    if not known:
        return
    widths = [max(map(len, column)) for column in zip(*known, strict=True)]
    yield ""
    for row in known:
        first, *rest = (
            f"{cell:<{width}}" if not number else f"{cell:>{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *rest]).rstrip()
    for remark in remarks:
        yield from _wrapped(remark, "  ")


def _wrapped(text: str, indent: str = "") -> list[str]:
    further = indent + ("  " if indent else "")
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=further)
