"""Fixes to try, and the texts they lead to, alone and together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dlint import rule_docs
from dlint.findings.diagnostic import Applicability, Diagnostic, Fix
from dlint.findings.edits import Edit, apply_edits, merged
from dlint.findings.operations import Operation, SetArgument
from dlint.fixes.apply import still_parses
from dlint.fixes.diff import unified_diff
from dlint.fixes.lowering import lower
from dlint.fixes.trials.trials import trials
from dlint.rule_docs import FILE_RULES
from dlint.verify.plan.claims import Observable, needs_accelerator, observable
from dlint.verify.run.runner import Variant
from dlint.workspace.reading import Sources

Texts = Mapping[str, str]
"""The new text of each changed file, by path."""


UNREAD = frozenset(FILE_RULES)
"""Findings of files that could not be checked."""
_UNCHECKED = "the file could not be checked"


class Spot(NamedTuple):
    """Where a finding stands."""

    filename: str
    row: int
    message: str


class Candidate(NamedTuple):
    """A fix to try: of all findings of one rule, or a patch."""

    name: str
    """The rule's, behind it in brackets what a trial sets; or the patch's."""
    code: str
    claim: str
    observable: Observable
    applicability: Applicability
    title: str
    """What the fix does."""
    spots: tuple[Spot, ...]
    fixes: tuple[Fix, ...] = ()
    patched: tuple[tuple[str, str], ...] = ()
    """The texts that a patch leads to; then there are no fixes."""
    settings: tuple[tuple[str, Any], ...] = ()
    """What loaders are given beside their own arguments; then there are neither."""
    at: tuple[str, int] | None = None
    """The file and row where the loader is made that is given them; None for all."""

    @property
    def rule(self) -> str:
        """The name of the rule; of a patch, its own."""
        return self.name.partition(" (")[0] if self.code else self.name

    @property
    def needs_accelerator(self) -> bool:
        """Whether it can act only where there is an accelerator."""
        return needs_accelerator(self.rule, self.code)

    @property
    def is_change(self) -> bool:
        """Whether somebody made it up, rather than a rule: it may change anything."""
        return not self.code

    def arguments(self) -> dict[str, set[tuple[str, int, str]]]:
        """The arguments that it sets: by name where, and to what."""
        found: dict[str, set[tuple[str, int, str]]] = {}
        for name, value in self.settings:
            found.setdefault(name, set()).add(("", 0, repr(value)))
        for operation in (o for fix in self.fixes for o in fix.operations):
            if isinstance(operation, SetArgument):
                where = operation.call.path, operation.call.start, operation.value
                found.setdefault(operation.name, set()).add(where)
        return found


ITSELF = Candidate(
    name="itself",
    code="",
    claim="throughput",
    observable=Observable.STEP,
    applicability=Applicability.SAFE,
    title="Change nothing",
    spots=(Spot("", 0, ""),),
)
"""What `--self-test` tries."""

UNWRITTEN = "there is no edit for it: give a change of yours as a patch, by `--fix-file`"


class NotTried(NamedTuple):
    """A finding without an edit that could be tried."""

    name: str
    spot: Spot
    why: str


def candidates(
    found: Iterable[Diagnostic], sources: Sources
) -> tuple[list[Candidate], list[NotTried]]:
    """What can be tried of some findings, a candidate for each rule; and what cannot, and why."""
    by_rule: dict[str, list[Diagnostic]] = {}
    left: list[NotTried] = []
    for diagnostic in found:
        tooling = rule_docs.load(diagnostic.name).meta.category == "tooling"
        for name, tried in _with_trials(diagnostic, sources):
            why = "it changes nothing that runs" if tooling else _hindrance(tried, sources)
            if why is None:
                by_rule.setdefault(name, []).append(tried)
            elif diagnostic.name in UNREAD:
                left.append(NotTried(diagnostic.name, _spot(diagnostic, sources), _UNCHECKED))
            elif not tooling:
                left.append(NotTried(diagnostic.name, _spot(diagnostic, sources), why))
    return [_candidate(name, group, sources) for name, group in by_rule.items()], left


def _with_trials(diagnostic: Diagnostic, sources: Sources) -> Iterator[tuple[str, Diagnostic]]:
    """The finding with each fix that is worth trying, or its own; by the names of those."""
    tried = list(trials(diagnostic, sources))
    if not tried:
        yield diagnostic.name, diagnostic
    for word, fix in tried:
        yield f"{diagnostic.name} ({word})", diagnostic._replace(fix=fix)


def _hindrance(diagnostic: Diagnostic, sources: Sources) -> str | None:
    """Why a finding cannot be tried; None where it can."""
    if diagnostic.fix is None:
        return UNWRITTEN
    edits = lower(diagnostic.fix, sources)
    if edits is None:
        return "its fix could not be made an edit"
    if any(not edit.path.endswith(".py") for edit in edits):
        return "its fix changes a file that is not Python"
    return None


def _spot(diagnostic: Diagnostic, sources: Sources) -> Spot:
    place = diagnostic.place
    row, _ = sources.get(place.path).position(place.start)
    return Spot(place.path, row, diagnostic.message)


def _candidate(name: str, group: Sequence[Diagnostic], sources: Sources) -> Candidate:
    rule = group[0].name
    claim = rule_docs.load(rule).meta.claim
    fixes = tuple(d.fix for d in group if d.fix is not None)
    return Candidate(
        name=name,
        code=group[0].code,
        claim=claim,
        observable=observable(rule, claim),
        applicability=max((f.applicability for f in fixes), key=list(Applicability).index),
        title=fixes[0].message,
        spots=tuple(_spot(d, sources) for d in group),
        fixes=fixes,
    )


def from_patch(name: str, texts: Texts, rule: str | None = None) -> Candidate:
    """The candidate that a patch is; judged by what a rule claims, if it is for a finding of one.

    Else it is judged by the seconds of a step.
    """
    claim = "throughput" if rule is None else rule_docs.load(rule).meta.claim
    spots = tuple(Spot(path, 1, f"changed by {name}") for path in texts)
    return Candidate(
        name=name,
        code="",
        claim=claim,
        observable=observable(rule or name, claim),
        applicability=Applicability.UNSAFE,
        title=f"Apply {name}",
        spots=spots,
        patched=tuple(texts.items()),
    )


def texts_of(chosen: Sequence[Candidate], sources: Sources) -> Texts | None:
    """The texts with all of these applied; None when they do not go together."""
    if not chosen:
        return {}
    if len({candidate.rule for candidate in chosen}) < len(chosen) or _contradict(chosen):
        return None
    if any(candidate.patched for candidate in chosen):
        return dict(chosen[0].patched) if len(chosen) == 1 else None
    edits = _edits(chosen, sources)
    if edits is None:
        return None
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    texts = {p: apply_edits(sources.get(p).text, group) for p, group in by_path.items()}
    valid = all(still_parses(sources.get(path), text) for path, text in texts.items())
    return texts if valid else None


def diff_of(texts: Texts, sources: Sources) -> str:
    """New texts as a unified diff, with paths from the working directory where they lie below."""
    here = Path.cwd()
    named = {
        p: Path(p).relative_to(here) if Path(p).is_relative_to(here) else Path(p) for p in texts
    }
    return "".join(
        unified_diff(named[path].as_posix(), sources.get(path), text)
        for path, text in sorted(texts.items())
    )


_OF_WORKERS = frozenset({"persistent_workers", "prefetch_factor", "multiprocessing_context"})
"""Arguments that ask for workers; with their usual values they do not."""
_IDLE = frozenset({"False", "None"})


def _contradict(chosen: Sequence[Candidate]) -> bool:
    """Whether two of them want different things of one loader."""
    given = [candidate.arguments() for candidate in chosen]
    return any(
        _differ(one, two) or _without_workers(one, two) or _without_workers(two, one)
        for number, one in enumerate(given)
        for two in given[:number]
    )


_Given = Mapping[str, set[tuple[str, int, str]]]


def _differ(one: _Given, two: _Given) -> bool:
    return any(
        _meet(a, b) and a[2] != b[2]
        for name in one.keys() & two.keys()
        for a in one[name]
        for b in two[name]
    )


def _without_workers(one: _Given, two: _Given) -> bool:
    """Whether the first takes the workers away that the second does something with."""
    none = [where for where in one.get("num_workers", ()) if where[2] == "0"]
    asked = [w for name in _OF_WORKERS for w in two.get(name, ()) if w[2] not in _IDLE]
    return any(_meet(a, b) for a in none for b in asked)


def _meet(one: tuple[str, int, str], two: tuple[str, int, str]) -> bool:
    """Whether both are about one call; settings without an edit are about every loader."""
    return one[:2] == two[:2] or not one[0] or not two[0]


def _edits(chosen: Sequence[Candidate], sources: Sources) -> tuple[Edit, ...] | None:
    """All edits: lowered in one go, so that two arguments of one call agree; else one by one."""
    fixes = [fix for candidate in chosen for fix in candidate.fixes]
    if not fixes:
        return ()
    operations: dict[Operation, None] = dict.fromkeys(o for fix in fixes for o in fix.operations)
    together = lower(fixes[0]._replace(operations=tuple(operations)), sources)
    if together is not None:
        return together
    single = [lower(fix, sources) for fix in fixes]
    return merged(edit for edits in single if edits is not None for edit in edits)


def going_together(
    chosen: Iterable[Candidate], sources: Sources, base: Sequence[Candidate] = ()
) -> list[Candidate]:
    """The candidates, in order, that can be applied in one go with those before and `base`."""
    kept: list[Candidate] = []
    for candidate in chosen:
        if texts_of([*base, *kept, candidate], sources) is not None:
            kept.append(candidate)
    return kept


class Variants:
    """The variants of a program.

    Each serves the same files, changed or not, so that none of them is loaded in another way.
    """

    def __init__(self, everything: Sequence[Candidate], sources: Sources) -> None:
        self._sources = sources
        paths: set[str] = set()
        for candidate in everything:
            paths.update(texts_of([candidate], sources) or {})
        self._originals = {path: sources.get(path) for path in sorted(paths)}
        self._count = 0

    def make(self, chosen: Sequence[Candidate]) -> Variant | None:
        """The variant with some candidates applied; None when they do not go together."""
        texts = texts_of(chosen, self._sources)
        if texts is None:
            return None
        edited = {
            str(Path(path).resolve()): source.encode(texts.get(path, source.text))
            for path, source in self._originals.items()
            if source.raw is not None or path in texts
        }
        settings = {name: value for c in chosen for name, value in c.settings}
        name = " + ".join(c.name for c in chosen) or "as it is"
        places = {c.at for c in chosen if c.settings}
        return Variant(name, edited, settings, places.pop() if len(places) == 1 else None)
