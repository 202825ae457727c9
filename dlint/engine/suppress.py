"""Findings without those that a comment suppresses, and with those about such comments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError

if TYPE_CHECKING:
    from dlint.suppression.suppressions import Suppressions


class Parted:
    """Findings by whether a comment suppresses them."""

    def __init__(self) -> None:
        self.kept: list[Diagnostic] = []
        self.suppressed: list[Diagnostic] = []


def parted(
    found: Iterable[Diagnostic],
    reported: Iterable[str],
    ran: Callable[[str], frozenset[str]],
    sources: Sources,
) -> Parted:
    """The findings by whether a comment suppresses them; kept are the faults of comments, too.

    These are looked for in the reported files. `ran` says which rules ran on the file at a path.
    """
    by_path: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in found:
        by_path[diagnostic.place.path].append(diagnostic)
    result = Parted()
    for path in {**dict.fromkeys(sorted(reported)), **by_path}:
        of_path = by_path.get(path, [])
        source = _marked(path, sources, bool(of_path))
        if source is None:
            result.kept.extend(of_path)
        else:
            _part(source, ran(path), of_path, result)
    return result


def _part(source: Source, ran: frozenset[str], found: list[Diagnostic], result: Parted) -> None:
    """Part the findings of a file, and what is to be said of its comments."""
    from dlint.suppression.suppressions import Suppressions

    comments = Suppressions(source, ran)
    _share_out(found, comments, result)
    if any(d.name in rule_docs.FILE_RULES for d in found):
        return  # the file was not analysed: what its comments suppress is not known
    about = [d for name in rule_docs.COMMENT_RULES if name in ran for d in _said(name, comments)]
    _share_out(about, comments, result)


def _share_out(found: Iterable[Diagnostic], comments: Suppressions, result: Parted) -> None:
    for diagnostic in found:
        into = result.suppressed if comments.suppresses(diagnostic) else result.kept
        into.append(diagnostic)


def _said(name: str, comments: Suppressions) -> list[Diagnostic]:
    from dlint.rules.registry import load_comment_rule

    code = rule_docs.summaries()[name].code
    return [finding.diagnostic(name, code) for finding in load_comment_rule(name)(comments)]


def _marked(path: str, sources: Sources, has_findings: bool) -> Source | None:
    """The source at a path if it may hold a comment that matters."""
    try:
        source = sources.get(path)
    except UnreadableError:
        return None
    if "dlint:" in source.text or (has_findings and "noqa" in source.text.lower()):
        return source
    return None
