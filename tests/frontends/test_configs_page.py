"""The examples of `docs/configs.md`: each finding of any rule stands where it is marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.fixes.apply import fix_all
from dlint.rule_docs.examples import Example, examples
from dlint.workspace.reading import Sources

PAGE = Path(__file__).parents[2] / "docs" / "configs.md"
EXAMPLES = examples(PAGE.read_text("utf-8"))


def _write(folder: Path, example: Example) -> None:
    for title, text in example.files.items():
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def _check(folder: Path, sources: Sources) -> list[Diagnostic]:
    files = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
    rules = frozenset(rule_docs.summaries())
    return analyse(Request(folder, files, frozenset(map(str, files)), rules), sources).diagnostics


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.line}-{e.title}")
def test_findings_are_the_marked_ones(example: Example, tmp_path: Path) -> None:
    _write(tmp_path, example)
    sources = Sources()
    found = {
        (
            Path(d.place.path).relative_to(tmp_path).as_posix(),
            sources.get(d.place.path).position(d.place.start)[0],
            str(d.severity),
            d.name,
        )
        for d in _check(tmp_path, sources)
    }
    assert found == {(m.path, m.row, m.severity, m.name) for m in example.marks}


def test_the_page_shows_a_fix(tmp_path: Path) -> None:
    example = next(example for example in EXAMPLES if example.fixed)
    _write(tmp_path, example)
    fixed = fix_all(lambda s: _check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    fixed = {Path(path).relative_to(tmp_path).as_posix(): t for path, t in fixed.texts.items()}
    assert {**example.files, **fixed} == example.fixed
