"""Each row of the feature table names what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import dlint
from dlint.cli.command import parsed
from dlint.cli.main import COMMANDS
from dlint.rule_docs import own, resolve, with_prefix
from dlint.suppression.comments import layout
from dlint.suppression.directives import Directive, directives
from dlint.workspace.errors import UsageError
from dlint.workspace.settings_table import valid_keys
from dlint.workspace.source import Source

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "features.md"
_ROW = re.compile(r"^\| (?P<wish>[^|]+) \| (?P<there>[^|]+) \| \[[^\]]+\]\([^)]+\) \|$", re.M)
ROWS = {
    row["wish"]: re.findall(r"`([^`]+)`", row["there"]) for row in _ROW.finditer(PAGE.read_text())
}


def _is_command(text: str) -> bool:
    """Whether the command line is parsed as it stands, and what it names are rules."""
    program, *words = shlex.split(text)
    if program != "dlint" or words[0] not in COMMANDS:
        return False
    try:
        given = parsed(words[0], "", words[1:])
    except UsageError:
        return False
    rules = [*(getattr(given, "select", None) or ()), *(getattr(given, "ignore", None) or ())]
    rules += [given.rule] if getattr(given, "rule", None) else []
    return all(resolve(rule) or with_prefix(rule) for rule in rules)


def _is_comment(text: str) -> bool:
    said = [d for c in layout(Source("a.py", f"x = 1  {text}\n")).comments for d in directives(c)]
    return bool(said) and all(isinstance(one, Directive) for one in said)


def _is_public(text: str) -> bool:
    module, _, name = text.partition("(")[0].partition(".")
    return module == "dlint" and name in dlint.__all__


def _is_there(text: str) -> bool:
    is_file = "/" in text or text.endswith((".yml", ".yaml"))
    return (
        _is_command(text)
        or _is_comment(text)
        or _is_public(text)
        or text in valid_keys()
        or text == own.GROUP
        or (is_file and (ROOT / text).is_file())
    )


@pytest.mark.parametrize("wish", ROWS)
def test_what_a_row_names_is_there(wish: str) -> None:
    assert ROWS[wish], "the row names nothing"
    assert [text for text in ROWS[wish] if not _is_there(text)] == []


def test_every_row_is_read() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    headings = [line for line in lines if line.startswith(("| what you", "| ---"))]
    assert len(ROWS) == len(lines) - len(headings) > 30


def test_every_command_and_key_has_a_row() -> None:
    named = {text for there in ROWS.values() for text in there}
    assert sorted(set(valid_keys()) - named - {"extension", "unsafe-fixes", "output-format"}) == []
    assert sorted(set(COMMANDS) - {text.split()[1] for text in named if " " in text}) == []


@pytest.mark.parametrize(
    "text", ["dlint chekc", "dlint check --nothing", "dlint check --select DLX", "nothing", "# a"]
)
def test_what_is_not_there_is_told(text: str) -> None:
    assert not _is_there(text)
