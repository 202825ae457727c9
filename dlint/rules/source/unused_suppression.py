"""unused-suppression: a comment that suppresses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceComment
from dlint.findings.places import Place

if TYPE_CHECKING:
    from dlint.suppression.suppressions import Suppressions
    from dlint.suppression.uses import UnusedNames


def check(suppressions: Suppressions) -> Iterator[Finding]:
    """Each comment with names of rules that ran and found nothing there."""
    for unused in suppressions.unused():
        names = ", ".join(f"`{name}`" for name in unused.names)
        where = "in this file" if unused.whole_file else "here"
        message = f"this comment suppresses nothing: no finding of {names} {where}"
        yield Finding(Severity.WARNING, message, unused.place, (), _fix(unused))


def _fix(unused: UnusedNames) -> Fix:
    """The fix that takes unused names out, or the whole comment with them."""
    message = "Remove the unused names" if unused.replacement else "Remove the comment"
    operation = ReplaceComment(Place(unused.place.path, *unused.removed), unused.replacement)
    return Fix(Applicability.SAFE, message, (operation,))
