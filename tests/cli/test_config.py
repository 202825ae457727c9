"""`dlint config`: the keys of the settings, as a user reads them and as data."""

from __future__ import annotations

import json

import pytest

from dlint.cli.main import main
from dlint.workspace.settings_table import valid_keys


def _say(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["config", *argv]) == 0
    return capsys.readouterr().out


def test_all_keys_with_types_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    head, *rows = _say(capsys).splitlines()
    assert head.split() == ["key", "type", "default"]
    assert [row.split()[0] for row in rows] == valid_keys()
    by_key = {row.split()[0]: " ".join(row.split()[1:]) for row in rows}
    assert by_key["respect-gitignore"] == "boolean true"
    assert by_key["ignore"] == "list of strings []"
    assert by_key["per-file-ignores"] == "table of lists of strings {}"
    assert by_key["extension"] == "table of strings {}"
    assert by_key["fail-on"] == '"error" | "warning" | "info" unset'
    assert by_key["output-format"] == "string unset"


def test_one_key(capsys: pytest.CaptureFixture[str]) -> None:
    said = _say(capsys, "severity")
    assert said.startswith("severity\n  Rules to the severity that their findings have\n\n")
    assert '  type     table of "error" | "warning" | "info"\n  default  {}\n' in said
    assert "[tool.dlint] and [[tool.dlint.overrides]]" in said
    assert "overrides" not in _say(capsys, "fail-on")
    assert '"junit"' in _say(capsys, "output-format")


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(_say(capsys, "--output-format", "json"))
    assert [key["key"] for key in found] == valid_keys()
    assert json.loads(_say(capsys, "unfixable", "--output-format", "json")) == {
        "key": "unfixable",
        "type": "list of strings",
        "default": [],
        "description": "Rules whose fixes are never applied",
        "in_overrides": True,
    }


@pytest.mark.parametrize(
    ("key", "said"),
    [("unfixible", "did you mean `unfixable`?"), ("x", "`dlint config` lists all keys")],
)
def test_a_key_that_is_none(capsys: pytest.CaptureFixture[str], key: str, said: str) -> None:
    assert main(["config", key]) == 2
    assert capsys.readouterr().err == f"error: there is no key `{key}`: {said}\n"
