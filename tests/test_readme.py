"""What the README shows is what dlint prints.

`UPDATE_README=1 python -m pytest tests/test_readme.py` writes it anew.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.cli import main, pages

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_CONSOLE = re.compile(r"(?<=^```console\n)\$ dlint (?P<arguments>.*)\n(?:.*\n)*?(?=^```$)", re.M)
_TABLE = re.compile(r"^\| Code \|.*\n(?:\|.*\n)+", re.M)


def _shown_anew(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The text with the output of its commands and the table of rules as they are now."""

    def output(block: re.Match[str]) -> str:
        main.main(shlex.split(block["arguments"]))
        return f"$ dlint {block['arguments']}\n{capsys.readouterr().out}"

    table = pages.markdown_table(rule_docs.summaries().values())
    return _CONSOLE.sub(output, _TABLE.sub(lambda _: table, text))


def test_the_readme_shows_what_dlint_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    text = README.read_text("utf-8")
    assert _CONSOLE.search(text)
    anew = _shown_anew(text, capsys)
    if os.environ.get("UPDATE_README"):
        README.write_text(anew, "utf-8")
    else:
        assert text == anew
