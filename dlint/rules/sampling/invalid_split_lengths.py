"""invalid-split-lengths: lengths of `random_split` that do not come to the length of the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.model.data.split_lengths import length_splits

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.split_lengths import LengthSplit, WrongLengths

_ADVICE = "give lengths that come to that of the data, or fractions that come to 1"
_ROUNDING = "round all parts but one, and make that one what they leave"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls of `random_split` whose lengths are wrong for this data, or for most."""
    for split in length_splits(context):
        wrong = split.wrong
        if wrong is not None:
            severity = Severity.ERROR if wrong.is_certain else Severity.WARNING
            message = f"{wrong.said}; {_ROUNDING if wrong.is_rounding else _ADVICE}"
            yield Finding(severity, message, split.place, (), _fix(split, wrong))


def _fix(split: LengthSplit, wrong: WrongLengths) -> Fix | None:
    """Make the last length what the others leave."""
    rest = split.rest(wrong)
    if rest is None:
        return None
    return Fix(
        Applicability.SAFE, "Make the last part what the others leave", (ReplaceExpression(*rest),)
    )
