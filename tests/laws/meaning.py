"""The law: what dlint says of a program does not change when it is written another way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.laws.cases import Case
from tests.laws.program import Program
from tests.laws.rewriting import Rewriting, UnsoundError, rewritten
from tests.laws.subject import CRASH, Finding, findings


class Outcome(NamedTuple):
    """What came of one rewriting of one case."""

    case: str
    rewriting: str
    state: str
    """`agree`, `differ`, `fix` where only the applicability differs, `crash`, `unsound`."""
    lost: tuple[tuple[str, str, str], ...] = ()
    """Rule, severity and fix that only the program as it was has."""
    new: tuple[tuple[str, str, str], ...] = ()

    @property
    def rules(self) -> frozenset[str]:
        """The rules that say something else."""
        return frozenset(rule for rule, *_ in (*self.lost, *self.new))


def outcomes(case: Case, rewritings: Iterable[Rewriting]) -> list[Outcome]:
    """What comes of the rewritings that can be applied to a case."""
    program = Program(case.files)
    said: tuple[Finding, ...] | None = None
    found = []
    for rewriting in rewritings:
        try:
            files = rewritten(rewriting, program)
        except UnsoundError as error:
            found.append(Outcome(case.name, rewriting.name, "unsound", ((str(error), "", ""),)))
            continue
        if files is not None:
            said = findings(case.files) if said is None else said
            found.append(compared(case, rewriting, said, findings(files)))
    return found


def compared(
    case: Case, rewriting: Rewriting, before: tuple[Finding, ...], after: tuple[Finding, ...]
) -> Outcome:
    """What came of a rewriting, by the findings before it and behind it.

    A rule that crashes on the new program breaks the law, whatever it does on the old one.
    """
    crashed = tuple((f.rule, CRASH, "") for f in after if f.severity == CRASH)
    if crashed:
        return Outcome(case.name, rewriting.name, CRASH, new=crashed)
    lost, new = difference(before, after, with_fix=False)
    state = "differ"
    if not lost and not new:
        lost, new = difference(before, after, with_fix=rewriting.keeps_fix)
        if rewriting.gains_fix:
            lost, new = _but_gained(lost, new)
        state = "fix" if lost or new else "agree"
    return Outcome(case.name, rewriting.name, state, lost, new)


_Said = tuple[tuple[str, str, str], ...]


def difference(
    before: Iterable[Finding], after: Iterable[Finding], with_fix: bool
) -> tuple[_Said, _Said]:
    """What only the first and only the second have, rows and files left aside."""
    old, new = _said(before, with_fix), _said(after, with_fix)
    return tuple(sorted((old - new).elements())), tuple(sorted((new - old).elements()))


def _but_gained(lost: _Said, new: _Said) -> tuple[_Said, _Said]:
    """What differs, leaving out findings that had no fix and have one now."""
    old, kept = Counter(lost), list[tuple[str, str, str]]()
    for one in new:
        without = (*one[:2], "")
        gained = one[2] and old[without]
        old[without] -= bool(gained)
        kept += [] if gained else [one]
    return tuple(sorted(old.elements())), tuple(kept)


def _said(found: Iterable[Finding], with_fix: bool) -> Counter[tuple[str, str, str]]:
    return Counter((f.rule, f.severity, f.fix if with_fix else "") for f in found)


def show(case: Case, files: Mapping[str, str]) -> str:
    """The program's and the findings' difference, for reading."""
    import difflib

    lines: list[str] = []
    for path in sorted({*case.files, *files}):
        old, new = case.files.get(path, ""), files.get(path, "")
        lines += difflib.unified_diff(
            old.splitlines(), new.splitlines(), path, path, lineterm="", n=30
        )
    for mark, texts in (("-", case.files), ("+", files)):
        lines += [f"{mark} {f.path}:{f.row} {f.rule} {f.severity} {f.fix}" for f in findings(texts)]
    return "\n".join(lines)
