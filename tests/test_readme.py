"""What the README, the list of rules and the settings' schema show is what dlint has.

`UPDATE_README=1 python -m pytest tests/test_readme.py` writes them anew.
"""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.cli import main, pages, settings_schema
from dlint.rule_docs.families import FAMILIES, members
from tests.tools.readme import IMAGES, MEASURED

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RULES = ROOT / "docs" / "rules.md"
_CONSOLE = re.compile(
    r"(?<=^```console\n)\$ dlint (?P<arguments>(?!verify).*)\n(?:.*\n)*?(?=^```$)", re.M
)
_TABLES = re.compile(r"(?<=<!-- rules -->\n)(?:.*\n)*?(?=<!-- /rules -->\n)")


def _agrees(path: Path, anew: str) -> None:
    """Compare a document with what it should hold, or write that."""
    if os.environ.get("UPDATE_README"):
        path.write_text(anew, "utf-8")
    else:
        assert path.read_text("utf-8") == anew


def test_the_readme_shows_what_dlint_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def output(block: re.Match[str]) -> str:
        main.main(shlex.split(block["arguments"]))
        return f"$ dlint {block['arguments']}\n{capsys.readouterr().out}"

    shutil.copytree(ROOT / "docs/examples", tmp_path / "docs/examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    text = README.read_text("utf-8")
    assert _CONSOLE.search(text)
    _agrees(README, _CONSOLE.sub(output, text))


def test_what_the_readme_measured_is_what_the_report_shows() -> None:
    block = MEASURED.search(README.read_text("utf-8"))
    assert block is not None
    page = re.sub(r"</?code>", "`", (IMAGES / "report.html").read_text("utf-8"))
    shown = re.sub(r"<[^>]+>", "\n", page)
    cells = {html.unescape(line).strip() for line in shown.splitlines()}
    _, row, _, *remarks = block["told"].splitlines()
    assert set(re.split(r" {2,}", row)) <= cells
    assert {line.strip() for line in remarks if line} <= cells
    assert (IMAGES / "report.png").read_bytes().startswith(b"\x89PNG")


def test_the_list_of_rules_is_that_of_the_pages() -> None:
    text = RULES.read_text("utf-8")
    assert _TABLES.search(text)
    _agrees(RULES, _TABLES.sub(lambda _: "".join(_tables()), text))


def _tables() -> Iterator[str]:
    for digit, title in FAMILIES.items():
        yield f"\n## DLT{digit}: {title}\n\n{pages.markdown_table(members(digit), '../rules/')}"


def test_the_schema_of_the_settings_is_that_of_their_model() -> None:
    _agrees(ROOT / "docs" / settings_schema.NAME, settings_schema.text())


def test_every_rule_belongs_to_a_family() -> None:
    named = [summary.name for digit in FAMILIES for summary in members(digit)]
    assert named == list(rule_docs.summaries())
