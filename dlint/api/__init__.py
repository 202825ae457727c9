"""dlint for programs: what `dlint.check` is given and returns. All of it is public.

`import dlint` imports none of this; the names are found when they are first asked for.
"""

from __future__ import annotations

from dlint.api.checking import check
from dlint.api.report import Edit, Finding, Fix, Location, Related, Report
from dlint.api.settings import Settings
from dlint.findings.diagnostic import Applicability, Severity
from dlint.workspace.errors import UsageError

__all__ = [
    "Applicability",
    "Edit",
    "Finding",
    "Fix",
    "Location",
    "Related",
    "Report",
    "Settings",
    "Severity",
    "UsageError",
    "check",
]
