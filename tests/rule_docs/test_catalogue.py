"""The pages are whole: facts, headings, examples; and each check has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.findings.diagnostic import Severity
from dlint.rule_docs import Summary
from dlint.rule_docs.page import HEADINGS, MANDATORY, Page, parse
from dlint.rules.registry import CHECKS

NAMES = sorted(path.stem for path in rule_docs.root().glob("*.md"))
FRONT = """---
code: DLT999
summary: "`a` beside `b`"
category: correctness
severity: error
fix: none
since: "0.1"
claim: none
{extra}---

# a-rule

## What it does

One.

```py
## not a heading
```

## Why it matters

Two.
"""


def _page(extra: str = "") -> Page:
    return parse("a-rule", FRONT.format(extra=extra))


def test_every_check_has_a_page_and_every_page_a_check() -> None:
    of_pytorch = {n for n in NAMES if rule_docs.load(n).meta.category != "tooling"}
    assert of_pytorch == set(CHECKS)


def test_codes_and_former_names_are_unique() -> None:
    keys = [k for s in rule_docs.summaries().values() for k in (s.name, s.code, *s.aliases)]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("name", NAMES)
def test_light_reader_agrees_with_the_full_one(name: str) -> None:
    meta = rule_docs.load(name).meta
    want = Summary(name, meta.code, meta.summary, meta.severity, meta.fix, meta.aliases, meta.claim)
    assert rule_docs.summaries()[name] == want._replace(is_preview=meta.preview, torch=meta.torch)


@pytest.mark.parametrize("name", NAMES)
def test_a_summary_begins_as_a_sentence(name: str) -> None:
    assert not rule_docs.summaries()[name].summary[0].islower()


@pytest.mark.parametrize("name", NAMES)
def test_headings_stand_in_order(name: str) -> None:
    page = rule_docs.load(name)
    assert page.body.startswith(f"\n# {name}\n")
    wanted = MANDATORY if page.meta.category == "tooling" else HEADINGS
    assert [h for h in HEADINGS if h in page.sections] == list(page.sections)
    assert set(wanted) <= set(page.sections)
    assert all(page.sections.values())


@pytest.mark.parametrize("name", NAMES)
def test_page_shows_what_its_facts_claim(name: str) -> None:
    page = rule_docs.load(name)
    bad = [example for example in page.examples if example.marks]
    assert bad
    assert {mark.name for example in bad for mark in example.marks} == {name}
    assert page.meta.category == "tooling" or any(not e.marks for e in page.examples)
    fixes = any(example.fixed is not None for example in page.examples)
    assert fixes == (page.meta.fix != "none")
    named = {mark.fix for example in bad for mark in example.marks}
    assert page.meta.fix == "safe" or "safe fix" not in named


@pytest.mark.parametrize("name", NAMES)
def test_related_rules_exist(name: str) -> None:
    for other in rule_docs.load(name).meta.related:
        assert other in rule_docs.summaries()
        assert other != name


@pytest.mark.parametrize("name", NAMES)
def test_links_to_other_rules_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([\w-]+)\.md\)", rule_docs.load(name).body):
        assert target in rule_docs.summaries()


@pytest.mark.parametrize("name", NAMES)
def test_prose_names_every_source(name: str) -> None:
    page = rule_docs.load(name)
    for source in page.meta.sources:
        assert source in page.sections["References"]


def test_further_cases_belong_to_a_rule() -> None:
    assert {path.stem for path in (Path(__file__).parent.parent / "rules").glob("*.md")} <= set(
        NAMES
    )


def test_resolve_knows_names_and_codes() -> None:
    wanted = rule_docs.summaries()["missing-pin-memory"]
    assert rule_docs.resolve("missing-pin-memory") == wanted
    assert rule_docs.resolve("DLT101") == wanted
    assert rule_docs.resolve("dlt101") == wanted
    assert rule_docs.by_code()["DLT101"] == wanted
    assert rule_docs.resolve("missing-pin") is None


def test_close_names_come_nearest_first() -> None:
    assert rule_docs.close_to("missing-pin-memry")[0] == "missing-pin-memory"
    assert "DLT101" in rule_docs.close_to("dltt101")
    assert rule_docs.close_to("zzz") == []


def test_former_names_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = FRONT.format(extra='aliases: [old-name, "DLT998"]\n')
    (tmp_path / "a-rule.md").write_text(page, "utf-8")
    monkeypatch.setattr(rule_docs, "root", lambda: tmp_path)
    summary = rule_docs.catalogue.__wrapped__().summaries["a-rule"]
    assert summary.aliases == ("old-name", "DLT998") == parse("a-rule", page).meta.aliases
    assert summary.summary == "`a` beside `b`"
    assert summary.severity is Severity.ERROR


def test_unknown_key_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        _page("colour: red\n")


def test_comment_in_a_fence_is_no_heading() -> None:
    assert list(_page().sections) == ["What it does", "Why it matters"]


def test_page_without_front_matter_is_refused() -> None:
    with pytest.raises(ValueError, match="front matter"):
        parse("a-rule", "# a-rule\n")


def test_unknown_page_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        rule_docs.load("no-such-rule")


def test_the_head_of_a_page_is_read_as_text_in_any_cut(tmp_path: Path) -> None:
    page = tmp_path / "a-rule.md"
    whole = FRONT.format(extra="").replace("beside", "–" * 330)
    page.write_bytes(whole.replace("\n", "\r\n").encode())
    summary = rule_docs._summary(str(page))
    assert (summary.name, summary.code) == ("a-rule", "DLT999")
    assert summary.summary == f"`a` {'–' * 330} `b`"
    page.write_text(FRONT.format(extra="").replace("Two.", "–" * 400), "utf-8")
    assert rule_docs._summary(str(page)).claim == "none"
