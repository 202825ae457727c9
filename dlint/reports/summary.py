"""The last lines of a report: how much was found and what can be done about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.findings.words import counted
from dlint.reports.view import View

_PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "infos"}


def summary(view: View, diagnostics: Sequence[Diagnostic], fixed: int = 0) -> str:
    """What is left, and how many findings were `fixed` before; not for a run without any."""
    found = len(diagnostics)
    if not found:
        return f"Found {counted(fixed, 'finding')}, fixed {'it' if fixed == 1 else 'all'}.\n"
    counts = Counter(d.severity for d in diagnostics)
    parts = ", ".join(counted(counts[s], s.value, _PLURALS[s]) for s in Severity if counts[s])
    if fixed:
        text = (
            f"Found {counted(found + fixed, 'finding')}: {fixed} fixed, {found} left ({parts}).\n"
        )
    else:
        text = f"Found {counted(found, 'finding')} ({parts}).\n"
    return text + _fixable(view, diagnostics)


def of_diff(view: View, left: Sequence[Diagnostic], fixed: int) -> str:
    """How many findings a diff would fix, and of those that are left how many it could."""
    hidden = sum(_is_hidden(view, d) for d in left)
    more = "more " if fixed else ""
    inside = f" ({hidden} {more}with `--unsafe-fixes`)" if hidden else ""
    return f"{counted(fixed, 'finding')} would be fixed{inside}."


def _fixable(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    kinds = Counter(d.fix.applicability for d in diagnostics if d.fix and view.is_fixable(d))
    hidden = sum(_is_hidden(view, d) for d in diagnostics)
    if kinds:
        parts = [f"{count} {kind.value}" for kind, count in sorted(kinds.items())]
        more = [f"{hidden} more with `--fix --unsafe-fixes`"] if hidden else []
        inside = ", ".join(parts if len(parts) > 1 else more)
        return f"[*] {kinds.total()} fixable with `--fix`{f' ({inside})' if inside else ''}.\n"
    return f"{hidden} fixable with `--fix --unsafe-fixes`.\n" if hidden else ""


def _is_hidden(view: View, diagnostic: Diagnostic) -> bool:
    """Whether only `--unsafe-fixes` would fix the finding."""
    fix = diagnostic.fix
    if fix is None or fix.applicability is not Applicability.UNSAFE:
        return False
    return fix.applicability not in view.applicable and view.edits(diagnostic) is not None
