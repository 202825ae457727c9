"""Fixes applied to texts, in rounds, until no finding that may be fixed is left."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.findings.edits import Edit, apply_edits, moved_offset, touch
from dlint.fixes.lowering import lower
from dlint.workspace.kinds import is_config, is_shell
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

_MOST_ROUNDS = 10

Analyse = Callable[[Sources], list[Diagnostic]]
_Key = tuple[str, str, int]
"""Rule, path and first offset of a finding."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """What applying fixes came to."""

    texts: dict[str, str]
    """The new text of each changed file, by path."""
    applied: list[Diagnostic]
    """The findings fixed, with their places in the text of the round that fixed them."""
    remaining: list[Diagnostic]
    """What is found in the new texts."""


@dataclass(frozen=True, slots=True)
class _Step:
    diagnostic: Diagnostic
    edits: tuple[Edit, ...]


def fix_all(
    analyse: Analyse, sources: Sources, applicability: frozenset[Applicability]
) -> FixResult:
    """Apply the fixes of this applicability to what `analyse` finds, and analyse again.

    A fix is applied whole or not at all, and dropped when a file would no longer compile or when
    the finding is still there afterwards. Ends when a round changes nothing or brings back a state
    that was there before, at the latest after ten rounds.
    """
    original = sources
    fixed = FixResult({}, [], analyse(sources))
    seen = [fixed.texts]
    for _ in range(_MOST_ROUNDS):
        steps = _lowered(fixed.remaining, sources, applicability)
        steps, texts, found = _tried(analyse, sources, fixed.remaining, steps)
        sources = _with_texts(sources, texts)
        texts = {**fixed.texts, **texts}
        texts = {path: text for path, text in texts.items() if text != original.get(path).text}
        if texts in seen:
            break
        seen.append(texts)
        fixed = FixResult(texts, [*fixed.applied, *(s.diagnostic for s in steps)], found)
    return fixed


def _lowered(
    found: Iterable[Diagnostic], sources: Sources, applicability: frozenset[Applicability]
) -> list[_Step]:
    """The findings that may be fixed, in source order, with their edits."""
    steps = []
    for diagnostic in sorted(found, key=lambda d: (d.place, d.name)):
        fix = diagnostic.fix
        if fix is not None and fix.applicability in applicability:
            edits = lower(fix, sources)
            if edits is not None:
                steps.append(_Step(diagnostic, edits))
    return steps


def _tried(
    analyse: Analyse, sources: Sources, before: Sequence[Diagnostic], steps: list[_Step]
) -> tuple[list[_Step], dict[str, str], list[Diagnostic]]:
    """The steps that one round takes, the texts they lead to and what is found there."""
    while chosen := _compiling(sources, _apart(steps)):
        texts = _texts(sources, chosen)
        found = analyse(_with_texts(sources, texts))
        futile = _futile(chosen, before, found)
        if not futile:
            return chosen, texts, found
        steps = [s for s in steps if s not in futile]
    return [], {}, []


def _apart(steps: Iterable[_Step]) -> list[_Step]:
    """The steps, in order, whose edits keep off those already taken; equal edits are shared."""
    taken: defaultdict[str, list[Edit]] = defaultdict(list)
    chosen = []
    for step in steps:
        if not any(e != t and touch(e, t) for e in step.edits for t in taken[e.path]):
            chosen.append(step)
            for edit in step.edits:
                taken[edit.path].append(edit)
    return chosen


def _compiling(sources: Sources, steps: list[_Step]) -> list[_Step]:
    """The steps without those after which a file no longer compiles."""
    broken = _broken(sources, steps, {edit.path for step in steps for edit in step.edits})
    if not broken:
        return steps
    kept: list[_Step] = []
    for step in steps:
        suspect = broken & {edit.path for edit in step.edits}
        if not _broken(sources, [*kept, step], suspect):
            kept.append(step)
    return _compiling(sources, kept) if len(kept) < len(steps) else []


def _broken(sources: Sources, steps: Iterable[_Step], paths: set[str]) -> set[str]:
    """Those of the paths whose text no longer compiles after the steps."""
    return {
        path
        for path, text in _texts(sources, steps).items()
        if path in paths and not still_parses(sources.get(path), text)
    }


def _texts(sources: Sources, steps: Iterable[_Step]) -> dict[str, str]:
    """The text of each file that the steps change."""
    by_path: defaultdict[str, set[Edit]] = defaultdict(set)
    for step in steps:
        for edit in step.edits:
            by_path[edit.path].add(edit)
    return {path: apply_edits(sources.get(path).text, edits) for path, edits in by_path.items()}


def _with_texts(sources: Sources, texts: dict[str, str]) -> Sources:
    return sources.with_changes(
        {path: sources.get(path).with_text(text) for path, text in texts.items()}
    )


def _futile(
    steps: Sequence[_Step], before: Iterable[Diagnostic], after: Iterable[Diagnostic]
) -> list[_Step]:
    """The steps whose findings are still there when their edits are made."""
    edits = {edit for step in steps for edit in step.edits}

    def moved(diagnostic: Diagnostic) -> _Key:
        path, start = diagnostic.place.path, diagnostic.place.start
        return diagnostic.name, path, moved_offset(path, start, edits)

    fixed = Counter(moved(s.diagnostic) for s in steps)
    expected = Counter(map(moved, before)) - fixed
    found = Counter((d.name, d.place.path, d.place.start) for d in after)
    return [s for s in steps if found[moved(s.diagnostic)] > expected[moved(s.diagnostic)]]


def still_parses(source: Source, text: str) -> bool:
    """Whether `text` compiles; by libcst's grammar where this Python is too old for the source."""
    if is_shell(source.path):
        from dlint.fixes.shell_values import still_reads as is_script

        return is_script(text)
    if is_config(source.path):
        from dlint.fixes.config_values import still_reads

        return still_reads(source.path, text)
    if not source.holds(text):
        return False
    if _compiles(text):
        return True
    from dlint.workspace.parsing import is_python

    return not _compiles(source.text) and is_python(text)


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<fixed>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
