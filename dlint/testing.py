"""The page of a rule as its test, for rules of other packages and for dlint's own.

@pytest.mark.parametrize("case", cases("my-rule"), ids=str)
def test_page(case: Case, tmp_path: Path) -> None:
    case.test(tmp_path)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.engine.suppress import parted
from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.findings.places import Place
from dlint.fixes.apply import fix_all
from dlint.rule_docs.examples import Example, Mark, examples
from dlint.rule_docs.page import HEADINGS, MANDATORY, Page, parse
from dlint.rules.registry import checks
from dlint.workspace.kinds import suffixes
from dlint.workspace.reading import Sources
from dlint.workspace.source import UnreadableError
from dlint.workspace.spelling import spelled

__all__ = ["Case", "cases", "check_page"]

_ANY_FIX = frozenset({Applicability.SAFE, Applicability.UNSAFE})


class Case(NamedTuple):
    """One example of a page, or of a file of further cases."""

    rule: str
    origin: str
    example: Example

    def __str__(self) -> str:
        return f"{self.origin}:{self.example.line}-{self.example.title}"

    def test(self, folder: Path) -> None:
        """Hold the rule to the example, in an empty folder. Raises AssertionError."""
        self.write(folder)
        self.test_findings(folder)
        self.test_fix(folder)

    def write(self, folder: Path) -> None:
        """Write the files of the example."""
        _write(folder, self.example.files)

    def test_findings(self, folder: Path) -> list[Diagnostic]:
        """The findings: they are the marked ones, and each stands once. Raises AssertionError."""
        found = self.found(folder)
        marks = {_mark(diagnostic, folder) for diagnostic in found}
        wanted = {mark if mark.fix else _without_fix(mark) for mark in self.example.marks}
        named = {(mark.path, mark.row) for mark in self.example.marks if mark.fix}
        told = {m if (m.path, m.row) in named else _without_fix(m) for m in marks}
        _same(f"{self}: findings", _rows(wanted), _rows(told))
        if len({diagnostic.place for diagnostic in found}) < len(found):
            raise AssertionError(f"{self}: a place is reported twice")
        return found

    def test_fix(self, folder: Path) -> None:
        """The fix writes what is shown, and nothing when it is applied once more.

        Raises AssertionError.
        """
        fixed = self.fixed(folder)
        if self.example.fixed is not None:
            after = {**self.example.files, **fixed}
            for title, wanted in self.example.fixed.items():
                _same(f"{self}: {title} after the fix", wanted, after[title])
        _write(folder, fixed)
        for title, text in self.fixed(folder).items():
            _same(f"{self}: {title} after a second fix", fixed.get(title, ""), text)

    def found(self, folder: Path) -> list[Diagnostic]:
        """What the rule finds in the folder that the example was written to."""
        return _check(folder, self.rule, Sources())

    def fixed(self, folder: Path) -> dict[str, str]:
        """The texts that all its fixes write there, by their paths in the example."""
        done = fix_all(partial(_check, folder, self.rule), Sources(), _ANY_FIX)
        return {Path(path).relative_to(folder).as_posix(): t for path, t in done.texts.items()}


def cases(rule: str, *further: Path) -> list[Case]:
    """The examples of a rule's page, and of further files in the same format.

    Raises LookupError where no such rule is installed, and says why.
    """
    _known(rule)
    found = [Case(rule, "page", example) for example in examples(rule_docs.read(rule))]
    for path in further:
        found += [Case(rule, path.name, e) for e in examples(path.read_text("utf-8"))]
    return found


def check_page(rule: str) -> None:
    """Hold a page to what its readers need. Raises AssertionError, and ValueError for its facts."""
    _known(rule)
    page = parse(rule, rule_docs.read(rule))
    faults = list(_faults(page))
    if faults:
        raise AssertionError(f"the page of {rule}: {'; '.join(faults)}")


def _known(rule: str) -> None:
    if rule not in rule_docs.summaries():
        why = [text for text in rule_docs.catalogue().problems if f"`{rule}`" in text]
        told = "; ".join(why) or "is the package that brings it installed?"
        raise LookupError(f"there is no rule `{rule}`: {told}")


def _faults(page: Page) -> Iterator[str]:
    if not page.body.startswith(f"\n# {page.name}\n"):
        yield f"its title is not `# {page.name}`"
    if [h for h in HEADINGS if h in page.sections] != list(page.sections):
        yield f"its headings are others, or in another order, than {', '.join(HEADINGS)}"
    for heading in MANDATORY:
        if not page.sections.get(heading):
            yield f"nothing stands under `## {heading}`"
    marked = [example for example in page.examples if example.marks]
    if not marked or len(marked) == len(page.examples):
        yield "it needs an example with a mark and one without"
    if any(mark.name != page.name for example in marked for mark in example.marks):
        yield "a mark names another rule"
    if any(e.fixed is not None for e in page.examples) != (page.meta.fix != "none"):
        yield "`fix` and the examples disagree on whether there is one"


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for title, text in files.items():
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def _check(folder: Path, rule: str, sources: Sources) -> list[Diagnostic]:
    request = _request(folder, rule)
    outcome = analyse(request, sources)
    if outcome.failed:
        raise AssertionError("\n".join([*outcome.warnings, *outcome.notes]))
    for crash in outcome.crashes:
        raise AssertionError(f"the rule {rule} crashed") from crash
    result = parted(outcome.diagnostics, request.reported, lambda path: request.rules, sources)
    return [diagnostic for diagnostic in result.kept if diagnostic.name == rule]


def _request(folder: Path, rule: str) -> Request:
    rules = {rule} if rule in checks() else set(rule_docs.summaries())
    files = tuple(sorted(p for p in folder.rglob("*.*") if p.suffix in suffixes()))
    return Request(folder, files, frozenset(map(spelled, files)), frozenset(rules))


def _mark(diagnostic: Diagnostic, folder: Path) -> Mark:
    place, fix = diagnostic.place, diagnostic.fix
    title = Path(place.path).relative_to(folder).as_posix()
    word = "no fix" if fix is None else f"{fix.applicability} fix"
    return Mark(title, _row(place), diagnostic.severity, diagnostic.name, word)


def _row(place: Place) -> int:
    try:
        return Sources().get(place.path).position(place.start)[0]
    except UnreadableError:
        return 1


def _without_fix(mark: Mark) -> Mark:
    return Mark(mark.path, mark.row, mark.severity, mark.name)


def _rows(marks: set[Mark]) -> str:
    """The marks as text, a line each."""
    ordered = sorted(marks, key=lambda mark: (mark.path, mark.row, mark.severity, mark.fix or ""))
    lines = (f"{m.path}:{m.row}: {m.severity}: [{m.name}] {m.fix or ''}" for m in ordered)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _same(what: str, wanted: str, found: str) -> None:
    if wanted != found:
        lines = difflib.unified_diff(
            wanted.splitlines(), found.splitlines(), "page", "rule", lineterm=""
        )
        raise AssertionError("\n".join([f"{what} differ", *lines]))
