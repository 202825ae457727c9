"""`dlint config`: the keys of the settings, their types and defaults."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dlint.findings.links import SITE
from dlint.workspace.errors import UsageError
from dlint.workspace.settings_table import OfRules, Table, valid_keys

_WIDTH = 96
_MOST_VALUES = 3
_PLURALS = {"string": "strings", "boolean": "booleans", "table": "tables"}


class Key(NamedTuple):
    """One key of the settings."""

    key: str
    type: str
    default: object
    """As in TOML; None where there is none."""
    description: str
    in_overrides: bool
    """Whether it may be set for some files only."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint config`."""
    parser.add_argument(
        "key", nargs="?", metavar="KEY", help="the key to explain; without one, list all"
    )
    parser.add_argument(
        "--output-format",
        choices=("text", "json", "schema"),
        default="text",
        help="`schema` is a JSON schema for editors (default: %(default)s)",
    )


def run(namespace: argparse.Namespace) -> int:
    """Print the keys, or one of them. Raises UsageError for one that there is not."""
    if namespace.output_format == "schema":
        if namespace.key is not None:
            raise UsageError("the schema is that of all keys: give no key with it")
        from dlint.cli import settings_schema

        sys.stdout.write(settings_schema.text())
        return 0
    found = keys()
    if namespace.key is not None:
        found = [key for key in found if key.key == namespace.key]
        if not found:
            raise UsageError(_unknown(namespace.key))
    sys.stdout.write(_text(found, namespace))
    return 0


def keys() -> list[Key]:
    """All keys, sorted."""
    schema = Table.model_json_schema()
    properties: Mapping[str, Any] = schema["properties"]
    shared = {field.alias for field in OfRules.model_fields.values()}
    return [
        Key(name, _type(of), of.get("default"), of["description"], name in shared)
        for name, of in sorted(properties.items())
    ]


def _text(found: Sequence[Key], namespace: argparse.Namespace) -> str:
    if namespace.output_format == "json":
        data = [key._asdict() for key in found]
        shown = data if namespace.key is None else data[0]
        return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    return _table(found) if namespace.key is None else _page(found[0])


def _table(found: Iterable[Key]) -> str:
    rows = [("key", "type", "default"), *((k.key, k.type, _default(k)) for k in found)]
    widths = [max(len(_short(row[column])) for row in rows) for column in range(2)]
    return "".join(
        f"{key:<{widths[0]}}  {_short(kind):<{widths[1]}}  {default}\n"
        for key, kind, default in rows
    )


def _page(key: Key) -> str:
    lines = [
        key.key,
        f"  {key.description}",
        "",
        *textwrap.wrap(f"  type     {key.type}", _WIDTH, subsequent_indent=" " * 11),
        f"  default  {_default(key)}",
        f"  set in   [tool.dlint]{' and [[tool.dlint.overrides]]' if key.in_overrides else ''}",
        f"  see      {SITE}configuration/",
    ]
    return "\n".join(lines) + "\n"


def _default(key: Key) -> str:
    return "unset" if key.default is None else json.dumps(key.default)


def _short(kind: str) -> str:
    """Of a type with many values, what they are."""
    if kind.count("|") <= _MOST_VALUES:
        return kind
    return "table of strings" if kind.startswith("table") else "string"


def _type(schema: Mapping[str, Any]) -> str:
    """A type of a JSON schema in the words of TOML."""
    if "anyOf" in schema:
        kinds = (_type(inner) for inner in schema["anyOf"] if inner.get("type") != "null")
        return " or ".join(kinds)
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if "$ref" in schema:
        return "table"
    if schema["type"] == "array":
        return f"list of {_several(_type(schema['items']))}"
    if schema["type"] == "object":
        return f"table of {_several(_type(schema['additionalProperties']))}"
    return str(schema["type"])


def _several(kind: str) -> str:
    return _PLURALS.get(kind, kind.replace("list of", "lists of"))


def _unknown(key: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, valid_keys(), n=1)
    hint = f"did you mean `{close[0]}`?" if close else "`dlint config` lists all keys"
    return f"there is no key `{key}`: {hint}"
