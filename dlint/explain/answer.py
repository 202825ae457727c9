"""What stands at a line, and what each rule makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint import rule_docs
from dlint.analyses.idle.failing_imports import FailingImports
from dlint.analyses.idle.idleness import IdleCode
from dlint.engine.rule_runs import found_by
from dlint.explain.asked import Asked, ask
from dlint.explain.objects import Seen, seen_in
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place
from dlint.rules.registry import checks
from dlint.workspace.errors import DlintCrash

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

Rows = Callable[[Place], range]
"""The rows of a place that somebody asks about; none of a place elsewhere."""

ShownAs = Callable[[Diagnostic], str | None]
"""Why a finding is not shown; None where it is."""


class Verdict(StrEnum):
    """What a rule makes of what stands at a line."""

    REPORTED = "reported"
    HIDDEN = "hidden"
    """It has a finding that this run does not show."""
    SILENT = "silent"
    """It looked, and has no finding."""
    FAILED = "failed"
    APART = "apart"
    """It asked nothing about what stands here."""


class RuleAnswer(NamedTuple):
    """What one rule makes of what stands at a line, and why."""

    name: str
    verdict: Verdict
    reason: str
    is_on: bool
    finding: Diagnostic | None = None


class Explanation(NamedTuple):
    """What dlint sees at a line of a file, or in all of it."""

    seen: list[Seen]
    rules: list[RuleAnswer]
    others: list[Seen]
    """What stands elsewhere in the file, where nothing stands at the line."""
    notes: list[str]


def explain(
    context: AnalysisContext, path: str, rows: Rows | None, is_on: frozenset[str], hidden: ShownAs
) -> Explanation:
    """What is seen at the rows that are asked about; all of the file for None, without rules."""
    every = seen_in(context, path)
    notes = _notes(context, path, every)
    if rows is None:
        return Explanation(every, [], [], notes)
    here = _here(context, path, every, rows)
    asked_as = [one for seen in here for one in seen.asked_as]
    wanted = _Wanted(context, here, rows, is_on, hidden)
    answers = [wanted.answer(name, asked_as) for name in checks()] if here else []
    return Explanation(here, answers, [] if here else every, notes)


def _here(context: AnalysisContext, path: str, every: list[Seen], rows: Rows) -> list[Seen]:
    """What begins or stands on the rows; where nothing does, the smallest that holds them."""
    on = [seen for seen in every if rows(seen.place)]
    around = [seen for seen in every if seen.around is not None and rows(seen.around)]
    if on or not around:
        return on
    sizes = [(seen.around.end - seen.around.start) for seen in around if seen.around is not None]
    return [seen for seen, size in zip(around, sizes, strict=True) if size == min(sizes)]


def _notes(context: AnalysisContext, path: str, every: Sequence[Seen]) -> list[str]:
    notes = []
    failure = context[FailingImports].failure(path)
    if failure is not None:
        notes.append(f"this module cannot be imported, so nothing is reported in it: {failure}")
    idle = {reason.message for s in every if (reason := context[IdleCode].reason(s.place))}
    notes += sorted(f"findings here are information: {text}" for text in idle)
    return notes


class _Wanted:
    """Asks the rules about what stands at some rows."""

    def __init__(
        self,
        context: AnalysisContext,
        here: Sequence[Seen],
        rows: Rows,
        is_on: frozenset[str],
        hidden: ShownAs,
    ) -> None:
        self._context = context
        self._rows = rows
        self._is_on = is_on
        self._hidden = hidden
        told = [argument for seen in here for argument in seen.arguments]
        self._unknown = {a.name for a in told if not all(v.is_known for v in a.values)}
        self._known = {a.name: " or ".join(v.text for v in a.values) for a in told}
        self._places = {place for seen in here for place in (seen.place, *seen.sources)}

    def answer(self, name: str, objects: Iterable[object]) -> RuleAnswer:
        """What a rule makes of some objects."""
        is_on = name in self._is_on
        try:
            found, asked = ask(lambda: found_by(name, self._context), objects)
        except DlintCrash as crash:
            return RuleAnswer(name, Verdict.FAILED, str(crash), is_on)
        for finding in found:
            if self._is_here(finding):
                why = self._hidden(finding)
                verdict = Verdict.REPORTED if why is None else Verdict.HIDDEN
                return RuleAnswer(name, verdict, why or "", is_on, finding)
        if not asked.at_all:
            return RuleAnswer(name, Verdict.APART, "", is_on)
        return RuleAnswer(name, Verdict.SILENT, self._reason(asked), is_on)

    def _is_here(self, finding: Diagnostic) -> bool:
        places = {finding.place, *(related.place for related in finding.related)}
        return any(map(self._rows, places)) or finding.place in self._places

    def _reason(self, asked: Asked) -> str:
        """Why a rule has no finding: what it asked last, and what of that is not known."""
        parts = []
        if asked.last is not None:
            parts.append(f"{asked.last.question}: {'yes' if asked.last.is_so else 'no'}")
        elif asked.taken in self._known:
            parts.append(f"`{asked.taken}` is {self._known[asked.taken]}")
        lacking = [name for name in asked.arguments if name in self._unknown]
        return "; ".join([*parts, *(f"`{name}` is not known" for name in lacking)])


def rule_code(name: str) -> str:
    """The code of a rule."""
    return rule_docs.summaries()[name].code
