"""What a checked project cannot do to a terminal, or to the log of a CI system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dlint.findings.controls import visible
from dlint.findings.links import SITE, linked, rule_page

NAME = "a\n::error::b\x1b[2Jc.py"
TEXT = (
    "from torch.utils.data import DataLoader\n"
    "x = 'a\u202eb\x1b]0;title\x07'\n"
    "DataLoader([], timeout=5)  # \x1b[8m \x9b31m ::error::x\n"
)


def _run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "dlint", "check", ".", "--no-cache", "-v", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stdout + done.stderr


@pytest.mark.parametrize("report", ["full", "concise", "github", "json", "sarif"])
@pytest.mark.parametrize("colour", ["never", "always"])
def test_reports_hold_no_escapes_of_the_project(tmp_path: Path, report: str, colour: str) -> None:
    (tmp_path / NAME).write_text(TEXT)
    shown = _run(tmp_path, "--output-format", report, "--color", colour)
    for escape in ("\x1b[2J", "\x1b]", "\x1b[8m", "\x07", "\x9b"):
        assert escape not in shown
    assert report in ("json", "sarif") or "\u202e" not in shown
    commands = [line for line in shown.splitlines() if line.strip().startswith("::error::")]
    assert commands == []


def test_a_setting_that_is_refused_is_quoted_without_its_escapes(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text('select = ["\\u001b[2Jx"]\n')
    (tmp_path / "a.py").write_text("import torch\n")
    command = [sys.executable, "-m", "dlint", "check", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


def test_what_is_spelled_out() -> None:
    assert visible("a\x1b[1mb\tc\n") == "a\\x1b[1mb\tc\n"
    assert visible("a\x1b[1mb\x1b[2J\r", colour=True) == "a\x1b[1mb\\x1b[2J\\r"
    assert visible("Größe → 日本") == "Größe → 日本"


def test_of_links_only_those_to_the_documentation_stay() -> None:
    ours = linked("DLT101", rule_page("missing-pin-memory"))
    assert visible(ours, links=True) == ours
    assert "\x1b" not in visible(ours, colour=True)
    others = (f"{SITE}rules/../x/", "https://example.com/rules/zero-workers/", f"{SITE}rules/a/;x")
    for address in others:
        shown = visible(linked("x", address), links=True)
        assert f"\\x1b]8;;{address}\\x1b\\x" in shown
