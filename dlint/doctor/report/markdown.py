"""A diagnosis as one would paste it into an issue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlint.doctor.report import words
from dlint.doctor.report.words import Row, Values


def render(found: Values) -> str:
    """The diagnosis as Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Values) -> Iterator[str]:
    yield from (f"### `dlint doctor {found['program']}`", "", f"**{words.answer(found)}**")
    if (most := words.ceiling(found)) is not None:
        yield from ("", most)
    for caution in words.cautions(found):
        yield from ("", caution)
    yield from _table(words.STEP, words.step_rows(found), words.step_remarks(found))
    yield from _table(("an epoch", *words.STEP[1:]), words.epoch_rows(found), ())
    if found["fetching"] is not None:
        head = (words.fetching_title(found), *words.FETCHING[1:])
        yield from _table(head, words.fetching_rows(found), words.fetching_remarks(found))
    if (facts := words.machine(found)) is not None:
        yield from ("", f"Machine: {facts}")
    if found["trial"] is not None:
        yield from ("", f"Settings that these figures speak for: `{found['trial']}`")
    if found["tune"] is not None:
        yield from ("", f"What looks for the best settings: `{found['tune']}`")
    for title, lines in (
        ("Too little", found["tight"]),
        ("Hazards", [words.hazard(one) for one in found["hazards"]]),
        ("Findings, by what they can bring here", [_remedy(one) for one in found["remedies"]]),
    ):
        if lines:
            yield from ("", f"{title}:", "", *(f"- {line}" for line in lines))
    if found["failure"] is not None:
        yield from ("", "~~~", found["failure"], "~~~")
    yield from ("", *(f"- {note}" for note in found["notes"]), "", words.scope(found))


def _remedy(one: Values) -> str:
    return f"{words.remedy(one)} – `{words.command(one)}`"


def _table(head: Row, rows: Iterable[Row], remarks: Iterable[str]) -> Iterator[str]:
    known = words.table(head, rows)
    if not known:
        return
    head, *known = known
    yield from ("", f"| {' | '.join(head)} |", f"| --- |{' ---: |' * (len(head) - 1)}")
    yield from (f"| {' | '.join(row)} |".replace("\\", "\\\\") for row in known)
    yield ""
    yield from (f"- {remark}" for remark in remarks)
