"""What one would paste into a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.verify.reports import words
from dlint.verify.results import Outcome


def render(outcome: Outcome) -> str:
    """The results as Markdown."""
    return "\n".join(_lines(outcome)) + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"### `dlint verify {outcome.program}`"
    yield ""
    if outcome.results:
        yield f"| {' | '.join(words.COLUMNS)} |"
        yield "|" + " --- |" * len(words.COLUMNS)
        for result in outcome.results:
            yield f"| {' | '.join(words.row(result))} |"
    else:
        yield words.nothing(outcome)
    yield ""
    for result in outcome.results:
        remarks = "; ".join(words.remarks(result))
        if remarks:
            yield f"- **{words.title(result)}**: {remarks}"
    for left in outcome.not_tried:
        yield f"- {left.name} (line {left.spot.row}) was not tried: {left.why}"
    for note in outcome.notes:
        yield f"- {note}"
    if outcome.runs:
        yield ""
        yield words.scope(outcome)
