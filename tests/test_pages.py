"""Every example is a test: *bad* fires where it is marked, *good* is silent, *fixed* is the fix.

The pages in `rules/` and the further cases in `tests/rules/` have one format, see
`dlint/catalogue/examples.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from dlint.catalogue.examples import Example, Mark, examples
from dlint.diagnostic import Applicability, Diagnostic
from dlint.engine import analyse
from dlint.fixes.apply import mend
from dlint.request import Request
from dlint.source import Sources

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("rules/*.md"), *ROOT.glob("tests/rules/*.md")])


def _cases() -> Iterable[ParameterSet]:
    for path in FILES:
        origin = "page" if path.parent.name == "rules" and path.parent.parent == ROOT else "cases"
        for example in examples(path.read_text("utf-8")):
            name = f"{origin}-{path.stem}:{example.line}-{example.title}"
            yield pytest.param(path.stem, example, id=name)


CASES = list(_cases())


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for title, text in files.items():
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def _request(folder: Path, rule: str) -> Request:
    files = tuple(sorted(folder.rglob("*.py")))
    return Request(folder, files, frozenset(map(str, files)), frozenset({rule}))


def _check(folder: Path, rule: str) -> list[Diagnostic]:
    return analyse(_request(folder, rule), Sources()).diagnostics


def _found(folder: Path, diagnostics: Iterable[Diagnostic]) -> list[Mark]:
    sources = Sources()
    marks = []
    for diagnostic in diagnostics:
        place = diagnostic.place
        row, _ = sources.get(place.path).position(place.start)
        title = Path(place.path).relative_to(folder).as_posix()
        fix = f"{diagnostic.fix.applicability} fix" if diagnostic.fix else "no fix"
        marks.append(Mark(title, row, diagnostic.severity, diagnostic.name, fix))
    return sorted(marks)


def _findings(marks: Iterable[Mark]) -> set[tuple[str, int, str, str]]:
    return {(m.path, m.row, m.severity, m.name) for m in marks}


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_findings_are_the_marked_ones(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    found = _found(tmp_path, _check(tmp_path, rule))
    assert _findings(found) == _findings(example.marks)
    named = {m for m in example.marks if m.fix}
    assert named <= set(found)


@pytest.mark.parametrize(("rule", "example"), CASES)
def test_no_place_is_reported_twice(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    places = [(d.name, d.place) for d in _check(tmp_path, rule)]
    assert len(places) == len(set(places))


def _mend(folder: Path, rule: str) -> dict[str, str]:
    """The files' texts after all fixes, by their path in the example."""
    anyone = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    request = _request(folder, rule)
    mended = mend(lambda sources: analyse(request, sources).diagnostics, Sources(), anyone)
    return {Path(p).relative_to(folder).as_posix(): text for p, text in mended.texts.items()}


@pytest.mark.parametrize(("rule", "example"), [c for c in CASES if c.values[1].fixed])
def test_fix_writes_what_is_shown(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    assert {**example.files, **_mend(tmp_path, rule)} == example.fixed


@pytest.mark.parametrize(("rule", "example"), [c for c in CASES if c.values[1].marks])
def test_second_fix_changes_nothing(rule: str, example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example.files)
    _write(tmp_path, _mend(tmp_path, rule))
    assert _mend(tmp_path, rule) == {}
