"""out-of-order-batches: `in_order=False` where order counts, or where torch does not know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.loader_conflicts import is_expected
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import only_evaluates
from dlint.model.loops import reproducible
from dlint.model.versions.admitted import Versions

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_NAME = "in_order"
_SINCE = "`in_order` came with torch 2.6"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that are given `in_order`."""
    for group in context[Loaders].told():
        for loader in group:
            found = _unknown(loader) or _wanted(loader)
            if found is not None:
                yield found
                break


def _unknown(loader: Loader) -> Finding | None:
    """The argument in a project that admits a torch without it."""
    if not loader.is_made or not loader.passes(_NAME) or is_expected(loader):
        return None
    if loader.asks_for_version:
        return None
    admitted = loader.context[Versions].torch(loader.place.path)
    if not admitted.ever("in-order"):
        message = (
            f"DataLoader raises TypeError: {_SINCE}, and this project stays below that; leave it "
            "out, or raise the requirement"
        )
        return Finding(Severity.ERROR, message, loader.place, argument=loader.argument_place(_NAME))
    if admitted.oldest is None or admitted.always("in-order"):
        return None
    oldest = ".".join(map(str, admitted.oldest))
    message = (
        f"{_SINCE}, and this project admits torch {oldest}, where DataLoader raises TypeError; "
        "raise the requirement, or leave the argument out"
    )
    return Finding(Severity.WARNING, message, loader.place, argument=loader.argument_place(_NAME))


def _wanted(loader: Loader) -> Finding | None:
    """Batches in no order, where something rests on their order."""
    if loader.workers_absent or not loader.is_made:
        return None
    if not any(a.truth is False for a in loader.argument(_NAME)):
        return None
    if reproducible.keeps_state(loader):
        message = (
            "`in_order=False` hands batches on as workers finish them, so the state that a "
            "StatefulDataLoader saves does not say which were seen; leave batches in order"
        )
        return Finding(
            Severity.WARNING, message, loader.place, argument=loader.argument_place(_NAME)
        )
    reason = None if only_evaluates(loader) else reproducible.asked_for(loader)
    if reason is None:
        return None
    message = (
        "`in_order=False` hands batches on as workers finish them, which differs from run to run, "
        f"and this program asks for reproducible ones: {reason.what}; leave batches in order"
    )
    related = (Related(reason.place, "asked for here"),)
    at = loader.argument_place(_NAME)
    return Finding(Severity.WARNING, message, loader.place, related, argument=at)
