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

_POSITION = 2


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Copies to the CPU that do not wait, whose result is read at once."""
    for early in early_reads(context):
        operation = RemoveArgument(early.copy, "non_blocking", _POSITION, "False")
        yield Finding(
            Severity.ERROR,
            "`non_blocking=True` returns before the values have come from the GPU, and "
            f"`{early.reader}` reads them on the host at once: it may see garbage; let this "
            "copy block (`.cpu()`), or synchronize before the read",
            early.copy,
            (Related(early.read, "the values are read here"),),
            Fix(Applicability.SAFE, "Let the copy block", (operation,)),
            early.flag,
        )
