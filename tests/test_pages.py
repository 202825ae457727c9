"""Every example is a test: *bad* fires where it is marked, *good* is silent, *fixed* is the fix.

The pages in `rules/` and the further cases in `tests/rules/` have one format, see
`dlint/rule_docs/examples.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.engine.suppress import suppress
from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.findings.places import Place
from dlint.fixes.apply import fix_all
from dlint.rule_docs.examples import Example, Mark, examples
from dlint.rules.registry import CHECKS
from dlint.workspace.kinds import suffixes
from dlint.workspace.reading import Sources
from dlint.workspace.source import UnreadableError

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("rules/*.md"), *ROOT.glob("tests/rules/*.md")])


def _cases() -> Iterable[tuple[str, str, Example]]:
    """The id, rule and content of each example."""
    for path in FILES:
        origin = "page" if path.parent == ROOT / "rules" else "cases"
        for example in examples(path.read_text("utf-8")):
            yield f"{origin}-{path.stem}:{example.line}-{example.title}", path.stem, example


CASES = list(_cases())


def _each(wanted: Callable[[Example], object]) -> pytest.MarkDecorator:
    chosen = [pytest.param(rule, example, id=i) for i, rule, example in CASES if wanted(example)]
    return pytest.mark.parametrize(("rule", "example"), chosen)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for title, text in files.items():
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def _request(folder: Path, rule: str) -> Request:
    rules = {rule} if rule in CHECKS else set(rule_docs.summaries())
    files = tuple(sorted(p for p in folder.rglob("*.*") if p.suffix in suffixes()))
    return Request(folder, files, frozenset(map(str, files)), frozenset(rules))


def _check(folder: Path, rule: str, sources: Sources) -> list[Diagnostic]:
    request = _request(folder, rule)
    found = analyse(request, sources).diagnostics
    kept = suppress(found, request.reported, lambda path: request.rules, sources)
    return [diagnostic for diagnostic in kept if diagnostic.name == rule]


def _found(folder: Path, rule: str) -> list[Mark]:
    sources = Sources()
    marks = []
    for diagnostic in _check(folder, rule, sources):
        title = Path(diagnostic.place.path).relative_to(folder).as_posix()
        fix = f"{diagnostic.fix.applicability} fix" if diagnostic.fix else "no fix"
        row = _row(diagnostic.place, sources)
        marks.append(Mark(title, row, diagnostic.severity, diagnostic.name, fix))
    return sorted(marks)


def _row(place: Place, sources: Sources) -> int:
    try:
        return sources.get(place.path).position(place.start)[0]
    except UnreadableError:
        return 1


def _findings(marks: Iterable[Mark]) -> set[tuple[str, int, str, str]]:
    return {(m.path, m.row, m.severity, m.name) for m in marks}


@_each(lambda example: True)
def test_findings_are_the_marked_ones(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    found = _found(tmp_path, rule)
    assert _findings(found) == _findings(example.marks)
    named = {m for m in example.marks if m.fix}
    assert named <= set(found)


@_each(lambda example: True)
def test_no_place_is_reported_twice(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    found = _check(tmp_path, rule, Sources())
    places = [(d.name, d.place) for d in found]
    assert len(places) == len(set(places))
    for diagnostic in found:
        if diagnostic.name in CHECKS:
            assert _faults(diagnostic.message) == []


_CODE = re.compile(r"`[^`]*`")
_PROMISE = re.compile(r"\b\d+(?:\.\d+)?\s?(?:x\b|×|%|times (?:as fast|faster))|\bfaster by\b")
_TONE = re.compile(r"!|\.\.\.|\b(?:please|simply|just|obviously)\b", re.I)
_NAMES = ("DataLoader", "DistributedSampler", "Accelerate", "CUDA", "PIL", "NumPy", "MPS")


def _faults(message: str) -> list[str]:
    """What a message lacks: it says what is wrong, why, and behind a semicolon what to do."""
    prose = _CODE.sub("``", message)
    wrong = {
        "does not say what to do": "; " not in prose,
        "ends like a text": prose.endswith((".", ";", " ")),
        "has more than two sentences": len(re.findall(r"[.?] ", prose)) > 1,
        "is long": len(prose) > 320,
        "begins with a capital": prose[0].isupper() and not prose.startswith(_NAMES),
        "promises a number": bool(_PROMISE.search(prose)),
        "names a command": "dlint " in message,
        "has a tone": bool(_TONE.search(prose)),
        "has several lines": "\n" in message,
    }
    return [fault for fault, is_found in wrong.items() if is_found]


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("the loader is slow", "does not say what to do"),
        ("the loader is slow; set `num_workers`.", "ends like a text"),
        ("it is slow. It waits. It sleeps; wake it", "has more than two sentences"),
        ("The loader is slow; wake it", "begins with a capital"),
        ("pinning is 2.5x faster; pin", "promises a number"),
        ("pinning pays 30 %; pin", "promises a number"),
        ("it is slow; run `dlint verify`", "names a command"),
        ("it is slow; please pin!", "has a tone"),
        ("`x = 1.` makes the loader wait; wake it", None),
    ],
)
def test_style_is_told(message: str, fault: str | None) -> None:
    assert _faults(message) == ([] if fault is None else [fault])


def _fix(folder: Path, rule: str) -> dict[str, str]:
    """The files' texts after all fixes, by their path in the example."""
    anyone = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    fixed = fix_all(partial(_check, folder, rule), Sources(), anyone)
    return {Path(p).relative_to(folder).as_posix(): text for p, text in fixed.texts.items()}


@_each(lambda example: example.fixed)
def test_fix_writes_what_is_shown(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    assert {**example.files, **_fix(tmp_path, rule)} == example.fixed


@_each(lambda example: example.marks)
def test_second_fix_changes_nothing(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    _write(tmp_path, _fix(tmp_path, rule))
    assert _fix(tmp_path, rule) == {}
