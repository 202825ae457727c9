"""unsynced-copy-to-host: results that are read before they have come from the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.checks import Finding
from dlint.diagnostic import Applicability, Fix, Related, Severity
from dlint.domain.host_copies import early_reads
from dlint.fixes.operations import RemoveArgument

if TYPE_CHECKING:
    from dlint.domain.program import Program

_POSITION = 2


def check(program: Program) -> Iterator[Finding]:
    """Copies to the CPU that do not wait, whose result is read at once."""
    for early in early_reads(program):
        place = program.place_of(early.copy)
        operation = RemoveArgument(place, "non_blocking", _POSITION, "False")
        yield Finding(
            Severity.ERROR,
            "`non_blocking=True` returns before the values have come from the GPU, and "
            f"`{early.read.name}` reads them on the host at once: it may see garbage; let this "
            "copy block (`.cpu()`), or synchronize before the read",
            place,
            (Related(program.place_of(early.read), "the values are read here"),),
            Fix(Applicability.SAFE, "Let the copy block", (operation,)),
        )
