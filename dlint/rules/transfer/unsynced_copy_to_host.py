"""unsynced-copy-to-host: results that are read before they have come from the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.transfers.early_reads import early_reads

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.transfers.early_reads import EarlyRead

_POSITION = 2


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Copies to the CPU that do not wait, whose result is read at once."""
    for early in early_reads(context):
        yield _of_copy(early) if early.asked is None else _of_call(early, early.asked)


def _of_copy(early: EarlyRead) -> Finding:
    operation = RemoveArgument(early.copy, "non_blocking", _POSITION, "False")
    return Finding(
        Severity.ERROR,
        "`non_blocking=True` returns before the values have come from the GPU, and "
        f"`{early.reader}` reads them on the host at once: it may see garbage; let this "
        "copy block (`.cpu()`), or synchronize before the read",
        early.copy,
        (Related(early.read, "the values are read here"),),
        Fix(Applicability.SAFE, "Let the copy block", (operation,)),
        early.flag,
    )


def _of_call(early: EarlyRead, asked: Place) -> Finding:
    """Without a fix: the copies to the GPU, which others ask for, had better not wait."""
    message = (
        "this asks for a copy to the CPU, which `non_blocking=True` returns before the values have "
        f"come from the GPU, and `{early.reader}` reads them on the host at once: it may see "
        "garbage; let copies to the CPU block, or synchronize before the read"
    )
    related = (
        Related(early.flag or early.copy, "the copy does not wait"),
        Related(early.read, "the values are read here"),
    )
    return Finding(Severity.ERROR, message, asked, related)
