"""What a checked project cannot do to a terminal, or to the log of a CI system."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dlint.cli.main import main
from dlint.findings.controls import visible
from dlint.findings.links import SITE, linked, rule_page
from dlint.reports import FOR_PROGRAMS, FORMATS

NAME = "a\n::error::b\x1b[2Jc.py"
CHECK = ("check", ".", "--no-cache", "-v")
TEXT = (
    "from torch.utils.data import DataLoader\n"
    "x = 'a\u202eb\x1b]0;title\x07'\n"
    "DataLoader([], timeout=5)  # \x1b[8m \x9b31m ::error::x\n"
)


@pytest.mark.parametrize("report", FORMATS)
@pytest.mark.parametrize("colour", ["never", "always"])
def test_reports_hold_no_escapes_of_the_project(
    tmp_path: Path,
    report: str,
    colour: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text(TEXT)
    assert main([*CHECK, "--output-format", report, "--color", colour]) == 1
    captured = capsys.readouterr()
    shown = captured.out + captured.err
    for escape in ("\x1b[2J", "\x1b]", "\x1b[8m", "\x07", "\x9b"):
        assert escape not in shown
    assert report in FOR_PROGRAMS or "\u202e" not in shown
    commands = [line for line in shown.splitlines() if line.strip().startswith("::error::")]
    assert commands == []


@pytest.mark.parametrize("report", FORMATS)
def test_logs_hold_no_commands_of_the_project(
    tmp_path: Path,
    report: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """GitHub obeys lines that begin with `::`, and `##[` in the midst of one, as Azure does."""
    monkeypatch.chdir(tmp_path)
    name = "::error::x ##[add-mask]##vso[task.x]y.py"
    (tmp_path / name).write_text(f"{TEXT}DataLoader([], timeout=5)  # ##[add-mask]\n")
    arguments = [*CHECK, "--exit-zero", "--output-format", report]
    main(arguments)
    plain = capsys.readouterr().out
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    main(arguments)
    shown = capsys.readouterr()
    for line in (shown.out + shown.err).splitlines():
        assert "##[" not in line
        assert "##vso[" not in line
        assert not line.strip().startswith("::error::")
    if report == "json":
        assert json.loads(shown.out) == json.loads(plain)
    if report == "junit":
        assert ET.canonicalize(shown.out) == ET.canonicalize(plain)


def test_errors_hold_no_commands_either(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TF_BUILD", "True")
    assert main(["check", "##vso[task.x]no.py"]) == 2
    assert r"#\x23vso[task.x]no.py" in capsys.readouterr().err


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
