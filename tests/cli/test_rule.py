"""`dlint rule`: one page, all pages, the list; text, JSON, Markdown."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dlint
from dlint import rule_docs
from dlint.cli import rule
from dlint.cli.main import main
from dlint.workspace.errors import UsageError


def _run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    rule.add_arguments(parser)
    return rule.run(parser.parse_args(arguments))


@pytest.mark.parametrize("name", ["missing-set-epoch", "DLT202", "dlt202"])
def test_text_has_facts_then_prose(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(name) == 0
    out = capsys.readouterr().out
    assert out.startswith("missing-set-epoch (DLT202)\n")
    assert "  fix       unsafe\n" in out
    assert "\nWhy it matters\n" in out
    assert "    sampler.set_epoch(epoch)\n" in out
    assert "```" not in out
    assert "\x1b" not in out


def test_prose_is_wrapped_and_code_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("missing-pin-memory") == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 88 for line in lines if line[:1].isalpha())
    assert any(len(line) > 88 for line in lines if line.startswith("    "))


def test_headings_are_bold_in_colour(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("syntax-error", "--color", "always") == 0
    assert "\x1b[1mWhy it matters\x1b[0m\n" in capsys.readouterr().out


def test_json_has_facts_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("DLT202", "--output-format", "json") == 0
    page = json.loads(capsys.readouterr().out)
    assert page["name"] == "missing-set-epoch"
    assert page["code"] == "DLT202"
    assert page["origin"] == "R13"
    assert page["markdown"].startswith("# missing-set-epoch\n")


def test_markdown_has_no_front_matter(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("DLT202", "--output-format", "markdown") == 0
    out = capsys.readouterr().out
    assert out.startswith("# missing-set-epoch\n\n`DistributedSampler`")
    assert "`DLT202` · category: determinism · severity: error · fix: unsafe" in out
    assert "\n---\n" not in out


def test_all_prints_every_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--all", "--output-format", "json") == 0
    pages = json.loads(capsys.readouterr().out)
    assert [page["name"] for page in pages] == list(rule_docs.summaries())
    assert _run("--all") == 0
    assert capsys.readouterr().out.count("\nWhat it does\n") == len(pages)


def test_without_a_name_all_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["code", "name", "severity", "fix", "summary"]
    assert len(lines) == 1 + len(rule_docs.summaries())
    assert _run("--output-format", "json") == 0
    assert len(json.loads(capsys.readouterr().out)) == len(rule_docs.summaries())
    assert _run("--output-format", "markdown") == 0
    assert capsys.readouterr().out.startswith("| Code | Name |")


def test_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean `missing-pin-memory`"):
        _run("missing-pin-memry")
    with pytest.raises(UsageError, match=r"`missing-pin-memory`, `[a-z-]+` or `[a-z-]+`[?]$"):
        _run("missing-pin")
    with pytest.raises(UsageError, match="`dlint rule` lists all rules"):
        _run("zzz")


def test_a_name_and_all_is_refused() -> None:
    with pytest.raises(UsageError, match="not both"):
        _run("DLT202", "--all")


def test_the_list_needs_neither_pydantic_nor_yaml() -> None:
    code = (
        "import argparse, sys; from dlint.cli import rule; p = argparse.ArgumentParser();"
        "rule.add_arguments(p); rule.run(p.parse_args([]));"
        "sys.exit(bool({'pydantic', 'yaml'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(dlint.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], check=False, env=environment)
    assert done.returncode == 0


@pytest.mark.parametrize("prefix", ["DLT1", "dlt1"])
def test_a_prefix_lists_its_rules(prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", prefix]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert rows
    assert all(row.startswith("DLT1") for row in rows)
    assert main(["rule", prefix, "--output-format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(rows)


@pytest.mark.parametrize("prefix", ["", "DLT0", "XYZ"])
def test_a_prefix_of_no_rule(prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", prefix]) == 2
    assert "there is no rule" in capsys.readouterr().err
