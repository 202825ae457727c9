"""The settings as a JSON schema for editors, in the form that SchemaStore takes."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from dlint import rule_docs
from dlint.findings.links import SITE
from dlint.workspace.settings_table import Table

NAME = "dlint.schema.json"
"""Of the file in the documentation, and so of its address."""

_A_RULE = ({"type": "string", "format": "rule"}, {"format": "rule"})
"""What the settings' model says of a name of rules, as a value and as a key."""


class _Draft7(GenerateJsonSchema):
    schema_dialect = "http://json-schema.org/draft-07/schema#"


def text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=2) + "\n"


def schema() -> dict[str, Any]:
    """The schema of `[tool.dlint]`, which is that of `dlint.toml` too."""
    made = Table.model_json_schema(ref_template="#/definitions/{model}", schema_generator=_Draft7)
    definitions = {**made.pop("$defs", {}), "rule": _rule()}
    return {
        "$schema": _Draft7.schema_dialect,
        "$id": f"{SITE}{NAME}",
        "title": "dlint",
        "description": "Settings of dlint, in `dlint.toml` or as `[tool.dlint]` of pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": _in_toml(made["properties"]),
        "definitions": {name: _in_toml(definitions[name]) for name in sorted(definitions)},
    }


def _rule() -> dict[str, Any]:
    """What names rules. Those of other packages are names, too, so it is not closed."""
    summaries = [s for s in rule_docs.summaries().values() if s.package is None]
    prefixes = sorted({s.code[:end] for s in summaries for end in (3, 4)})
    names = [key for s in summaries for key in (s.code, s.name)]
    return {
        "description": "A rule by its name or code, the beginning of codes, or ALL",
        "anyOf": [{"type": "string", "enum": ["ALL", *prefixes, *names]}, {"type": "string"}],
    }


def _in_toml(value: Any) -> Any:
    """A part of the schema without null, which TOML does not have, and without made-up titles."""
    if isinstance(value, list):
        return [_in_toml(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if value in _A_RULE:
        return {"$ref": "#/definitions/rule"}
    left_out = [("default", None), ("title", value.get("title"))]
    kept = {k: _in_toml(v) for k, v in value.items() if (k, v) not in left_out}
    kinds = [kind for kind in kept.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        del kept["anyOf"]
        kept = {**kinds[0], **kept}
    return kept
