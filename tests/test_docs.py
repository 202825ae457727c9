"""The documents agree with the rules' pages, and their links lead somewhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from dlint import catalogue
from dlint.settings_table import valid_keys, validated

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
_ROW = re.compile(r"^\| (R\d\d\w?) \| [^|]+ \|(?: `([\w-]+)`)? \| ([^|]+) \|$", re.M)
_HEADING = re.compile(r"^#+ (.+)$", re.M)


def _facts() -> dict[str, tuple[str, str]]:
    """Rule and code by the number of the fact, as `docs/rules.md` says."""
    text = (ROOT / "docs" / "rules.md").read_text("utf-8")
    return {fact: (name, code) for fact, name, code in _ROW.findall(text)}


def test_the_table_of_facts_is_that_of_the_pages() -> None:
    built = {f: rule for f, rule in _facts().items() if rule[1] != "not yet built"}
    loaded = [catalogue.load(name) for name in catalogue.summaries()]
    assert built == {p.meta.origin: (p.name, p.meta.code) for p in loaded if p.meta.origin}


def test_the_table_of_facts_is_whole() -> None:
    numbers = {int(fact[1:3]) for fact in _facts()}
    assert numbers == set(range(1, 52)) - {26}


def test_the_changelog_names_every_rule() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    pytorch = (n for n in catalogue.summaries() if catalogue.load(n).meta.category != "tooling")
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
