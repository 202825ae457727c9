"""How what depends on a version of torch stands in a project: the one home of that question.

A rule says which facts a finding needs, its page in which versions of torch it holds. What no
admitted version has is not said. What the project admits but its own statements speak against, a
README or code for a torch of long ago, is information, whose fix is for those who ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.library_facts.torch_versions import FACTS, Window
from dlint.model.versions.admitted import Versions
from dlint.model.versions.code_versions import written_for
from dlint.model.versions.version_specifiers import Admitted

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class Doubt(NamedTuple):
    """Why something does not hold: what says so, and whether that decides."""

    because: str
    is_denied: bool = False


def exists(context: AnalysisContext, fact: str, *paths: str) -> bool:
    """Whether a fact may be counted on in a program that runs these files: nothing denies it."""
    return doubt(context, FACTS[fact], paths) is None


def is_denied(context: AnalysisContext, fact: str, path: str) -> bool:
    """Whether no torch that the project of a file admits has a fact."""
    return not context[Versions].torch(path).ever(fact)


def doubt(context: AnalysisContext, window: Window, paths: Iterable[str]) -> Doubt | None:
    """What speaks against a torch of a window in a program that runs these files, if anything.

    The project of the first file counts.
    """
    first, *others = paths
    admitted = context[Versions].torch(first)
    if not admitted.some_in(window):
        return Doubt(f"this project admits torch {admitted.in_words}", is_denied=True)
    if admitted.all_in(window):
        return None
    written = written_for(context, (first, *others))
    if not written.some_in(window):
        return Doubt(f"this program is written for torch {written.in_words}")
    return _stated(context, window, first, written)


def _stated(context: AnalysisContext, window: Window, path: str, written: Admitted) -> Doubt | None:
    """The statement of a project that speaks against a window, unless its code refutes it."""
    admitted, mentions = context[Versions].stated_torch(path)
    refuted = written.oldest is not None and (admitted.newest or written.oldest) < written.oldest
    if not mentions or refuted or admitted.some_in(window):
        return None
    first = min(mentions, key=lambda mention: (mention.path, mention.row))
    return Doubt(f"{first.path.name}:{first.row} speaks of {first.title} {first.admitted.in_words}")


def in_versions(
    context: AnalysisContext, diagnostic: Diagnostic, windows: Iterable[Window]
) -> Diagnostic | None:
    """A finding as the versions of its project leave it: None where they admit it nowhere."""
    paths = dict.fromkeys([diagnostic.place.path, *(r.place.path for r in diagnostic.related)])
    windows = list(windows)
    found = [d for window in windows if (d := doubt(context, window, paths)) is not None]
    if any(one.is_denied for one in found):
        return None
    if found:
        message = f"{diagnostic.message} ({found[0].because}, where this does not hold)"
        return _cautious(diagnostic)._replace(severity=Severity.INFO, message=message)
    latest = max(windows, key=lambda window: window.first or (0, 0))
    why = None if diagnostic.severity is Severity.ERROR else _partly(context, latest, diagnostic)
    return diagnostic if why is None else _cautious(diagnostic, why)


def _partly(context: AnalysisContext, window: Window, diagnostic: Diagnostic) -> str | None:
    """In which of the versions that a project expressly admits something does not hold yet."""
    oldest = context[Versions].torch(diagnostic.place.path).oldest
    if oldest is None or window.first is None or oldest >= window.first:
        return None
    first, admitted = (".".join(map(str, version)) for version in (window.first, oldest))
    return f" (from torch {first} on; this project admits {admitted})"


def _cautious(diagnostic: Diagnostic, why: str = "") -> Diagnostic:
    """A finding whose fix does not suit every version: for those who ask for it."""
    fix = diagnostic.fix
    if fix is not None and fix.applicability is Applicability.SAFE:
        fix = fix._replace(applicability=Applicability.UNSAFE)
    return diagnostic._replace(message=diagnostic.message + why, fix=fix)
