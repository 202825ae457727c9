"""What one would paste into a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.verify.judge.results import Mode, Outcome, Result
from dlint.verify.judge.tuned import Tuning
from dlint.verify.report import tuned, words

_BAR = "\\|"
"""A bar that does not end a cell."""
_LAST = 8
_LONGEST_DIFF = 8000


def render(outcome: Outcome) -> str:
    """The results as Markdown."""
    return "\n".join(_lines(outcome)) + "\n"


def _end(result: Result) -> list[str]:
    """The last lines of what a failed run wrote."""
    return result.stderr.splitlines()[-_LAST:]


def _diff(text: str) -> Iterator[str]:
    """What was tried, to be opened, where it is not too long for a comment."""
    if text and len(text) <= _LONGEST_DIFF:
        fence = "~" * (3 + text.count("~~~"))
        yield from ("", "  <details><summary>what was changed</summary>", "", f"  {fence}diff")
        yield from (f"  {line}" for line in text.splitlines())
        yield from (f"  {fence}", "", "  </details>", "")


def _tuning(tuning: Tuning) -> Iterator[str]:
    for said in filter(None, (tuning.answer, tuning.ceiling)):
        yield from (said, "")
    yield f"**{tuned.advice(tuning)}**"
    yield ""
    yield from (f"- {said}" for said in (*tuning.ideas, *tuning.written))
    yield from ("", f"| {' | '.join(tuned.COLUMNS)} |", "|" + " --- |" * len(tuned.COLUMNS))
    for row in tuned.rows(tuning):
        yield f"| {' | '.join(cell.replace('|', _BAR) for cell in row)} |"
    yield ""


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"### `dlint verify {outcome.program}`"
    yield ""
    if outcome.tuning is not None:
        yield from _tuning(outcome.tuning)
    if outcome.results:
        yield f"| {' | '.join(words.COLUMNS)} |"
        yield "|" + " --- |" * len(words.COLUMNS)
        for result in outcome.results:
            yield f"| {' | '.join(cell.replace('|', _BAR) for cell in words.row(result))} |"
    elif outcome.tuning is None:
        yield words.nothing(outcome)
    yield ""
    for result in outcome.results:
        where = [words.detail(result)] if result.mode is Mode.ALONE else []
        said = "; ".join(filter(None, [*where, *words.remarks(result)]))
        if said:
            yield f"- **{words.title(result)}**: {said}"
        yield from _diff(result.diff)
        if result.stderr:
            yield from ("", "  ~~~", *(f"  {line}" for line in _end(result)), "  ~~~", "")
    for left in outcome.not_tried:
        yield f"- {left.name} ({words.place(left.spot)}) was not tried: {left.why}"
    for note in outcome.notes:
        yield f"- {note}"
    if outcome.runs:
        yield ""
        yield words.scope(outcome)
