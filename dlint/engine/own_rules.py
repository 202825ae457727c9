"""What is asked of rules that other packages bring: sound findings, and to fail alone."""

from __future__ import annotations

import traceback

from dlint.findings.diagnostic import Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.workspace.errors import DlintCrash


def sound(found: object) -> Finding:
    """A finding whose parts are what they have to be. Raises TypeError."""
    if not isinstance(found, Finding):
        raise TypeError(f"a check yields findings, not {type(found).__name__}")
    related = tuple(found.related)
    for value, kind in (
        (found.severity, Severity),
        (found.message, str),
        (found.place, Place),
        (found.fix, Fix | None),
        *((one, Related) for one in related),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"a finding takes {kind}, not {value!r}")
    return found._replace(related=related)


def failure(crash: DlintCrash, package: str) -> str:
    """What is said of a rule that failed."""
    where = "" if crash.path is None else f" while it looked at {crash.path}"
    error = crash.__cause__
    return (
        f"the rule `{crash.rule}` of `{package}` failed{where}, so its findings are missing: "
        f"{type(error).__name__}: {error}"
    )


def traceback_of(crash: DlintCrash) -> list[str]:
    """Where it failed, a line each."""
    if crash.__cause__ is None:
        return []
    return "".join(traceback.format_exception(crash.__cause__)).splitlines()
