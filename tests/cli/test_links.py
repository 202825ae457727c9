"""Codes of rules on a terminal lead to their pages; elsewhere they are plain text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dlint.findings.links import linked, rule_page

_OPENING = "\x1b]8;;"


@pytest.mark.parametrize("report", ["full", "concise"])
def test_a_code_on_a_terminal_is_a_link(
    run: Any, monkeypatch: pytest.MonkeyPatch, report: str
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    out = run("check", "--output-format", report).out
    label = "\x1b[1;33mDLT101 missing-pin-memory\x1b[0m"
    assert linked(label, rule_page("missing-pin-memory")) in out
    assert out.count(_OPENING) == 2
    assert _OPENING not in run("check", "--color", "never").out
    monkeypatch.setenv("TERM", "dumb")
    assert _OPENING not in run("check").out


@pytest.mark.parametrize("report", ["full", "concise", "github", "json", "sarif"])
def test_there_is_no_link_in_a_pipe_or_a_file(run: Any, project: Path, report: str) -> None:
    assert _OPENING not in run("check", "--output-format", report, "--color", "always").out
    run("check", "--output-format", report, "--color", "always", "--output-file", "report")
    assert _OPENING not in (project / "report").read_text("utf-8")
