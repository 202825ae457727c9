"""The documents agree with the rules' pages, and their links lead somewhere."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.workspace.settings_table import valid_keys, validated

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
_ROW = re.compile(r"^\| (R\d\d) \| ([^|]+) \| ([^|]+) \|$", re.M)
_RULE = re.compile(r"`([\w-]+)` \((DLT\d+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.M)


FACTS = ROOT / "docs" / "facts.md"


def _row(match: re.Match[str]) -> str:
    """The row of a fact with the rules that go back to it; as it is, where there are none."""
    fact, subject, _ = match.groups()
    pages = [rule_docs.load(name) for name in rule_docs.summaries()]
    metas = sorted((p.meta.code, p.name) for p in pages if (p.meta.origin or "")[:3] == fact)
    rules = ", ".join(f"`{name}` ({code})" for code, name in metas)
    return f"| {fact} | {subject} | {rules} |" if rules else match[0]


def test_the_table_of_facts_is_that_of_the_pages() -> None:
    """`UPDATE_README=1` writes the table anew."""
    text = FACTS.read_text("utf-8")
    anew = _ROW.sub(_row, text)
    if os.environ.get("UPDATE_README"):
        FACTS.write_text(anew, "utf-8")
    else:
        assert text == anew


def test_the_table_of_facts_is_whole() -> None:
    facts = _ROW.findall(FACTS.read_text("utf-8"))
    assert {int(fact[1:]) for fact, _, _ in facts} >= set(range(1, 52)) - {26}
    assert all(_RULE.search(rules) or len(rules.strip()) > 5 for _, _, rules in facts)


def test_the_changelog_names_every_rule() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    pytorch = (n for n in rule_docs.summaries() if rule_docs.load(n).meta.category != "tooling")
    assert all(f"`{name}`" in text for name in pytorch)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
        file, _, anchor = target.partition("#")
        if file.startswith("http"):
            continue
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), target
        if anchor:
            headings = _HEADING.findall(linked.read_text("utf-8"))
            assert anchor in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


def test_the_configuration_page_has_every_key() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", text, re.M)) == valid_keys()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_configurations_that_are_shown_are_valid(path: Path) -> None:
    for table in re.findall(r"^```toml\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S):
        validated(path, table, tomllib.loads(table)["tool"]["dlint"])
