"""The settings' schema takes and refuses what dlint takes and refuses."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dlint.cli.settings_schema import schema
from dlint.workspace.settings_table import Table

ROOT = Path(__file__).parents[2]
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.M | re.S)
_SHOWN = [
    table
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for table in _TOML.findall(path.read_text("utf-8"))
]
GOOD = [
    "",
    'select = ["DLT1", "missing-pin-memory", "ALL", "ACME001"]',
    'per-file-ignores = { "a/**" = ["DLT101"] }\nextension = { hparams = "yaml" }',
    'severity = { zero-workers = "error" }\n[[overrides]]\nfiles = ["a"]\nignore = ["DLT2"]',
]
BAD = [
    'select = "DLT1"',
    "selct = []",
    "unsafe-fixes = 1",
    'fail-on = "never"',
    'extension = { hparams = "xml" }',
    'severity = { zero-workers = "fatal" }',
    '[[overrides]]\nignore = ["DLT2"]',
    '[[overrides]]\nfiles = ["a"]\nexclude = ["b"]',
]


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    """The schema, ready to be asked."""
    made = schema()
    jsonschema.Draft7Validator.check_schema(made)
    return jsonschema.Draft7Validator(made)


@pytest.mark.parametrize("text", GOOD)
def test_what_dlint_takes_is_valid(validator: jsonschema.Draft7Validator, text: str) -> None:
    table = tomllib.loads(text)
    Table.model_validate(table)
    assert validator.is_valid(table)


@pytest.mark.parametrize("text", BAD)
def test_what_dlint_refuses_is_not(validator: jsonschema.Draft7Validator, text: str) -> None:
    table = tomllib.loads(text)
    with pytest.raises(ValueError, match="validation error"):
        Table.model_validate(table)
    assert not validator.is_valid(table)


def test_the_tables_of_the_documents_are_valid(validator: jsonschema.Draft7Validator) -> None:
    tables = [tomllib.loads(text).get("tool", {}).get("dlint") for text in _SHOWN]
    assert len([table for table in tables if table]) > 4
    assert all(validator.is_valid(table) for table in tables if table)


def test_the_schema_is_printed(run: Any) -> None:
    result = run("config", "--output-format", "schema")
    assert (result.code, json.loads(result.out)) == (0, schema())
    result = run("config", "fail-on", "--output-format", "schema")
    assert result.code == 2
    assert "give no key with it" in result.err


def test_every_key_is_described_and_knows_no_null(validator: jsonschema.Draft7Validator) -> None:
    properties = validator.schema["properties"]
    assert properties.keys() == {f.alias for f in Table.model_fields.values()}
    assert all(entry["description"] for entry in properties.values())
    assert "'type': 'null'" not in str(validator.schema)
    names = validator.schema["definitions"]["rule"]["anyOf"][0]["enum"]
    assert {"ALL", "DLT", "DLT1", "DLT101", "missing-pin-memory"} <= set(names)
