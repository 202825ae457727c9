"""What others build on: the names, settings, flags, fields and codes of this release, as data."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from dlint import rule_docs
from dlint.cli import completion, main, settings_schema
from dlint.reports import json as json_report
from dlint.reports.measured import Measurement

ROOT = Path(__file__).parents[2]

Say = Callable[..., str]
"""Runs `dlint` in a project that has findings of all sorts; what it prints."""


def rules() -> object:
    """All that names a rule, and the code of the rule that it names."""
    return {key: summary.code for key, summary in sorted(rule_docs.index().items())}


def settings() -> object:
    """The keys of `[tool.dlint]` with their types and defaults."""
    schema = settings_schema.schema()
    return _without(schema, {"description", "rule", "$id"})


def flags() -> object:
    """The options of each command; those that take one of a few values, with these."""
    parser = completion.whole_parser()
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return {
        name: {
            flag: _values(action)
            for action in command._actions
            for flag in action.option_strings
            if action.help != argparse.SUPPRESS
        }
        for name, command in commands.choices.items()
    }


def _values(action: argparse.Action) -> object:
    if action.choices is not None and action.metavar is None:
        return list(action.choices)
    return "no value" if action.nargs == 0 else "a value"


def fields(say: Say) -> object:
    """The fields of each format that programs read, with their types."""
    found: dict[str, object] = {
        name: shape(json.loads(say("check", "--select", "ALL", "--output-format", name)))
        for name in ("json", "sarif", "gitlab", "rdjson")
    }
    lines = say("check", "--select", "ALL", "--output-format", "json-lines").splitlines()
    found["json-lines"] = shape([json.loads(line) for line in lines])
    found["junit"] = _of_xml(say("check", "--select", "ALL", "--output-format", "junit"))
    found["statistics"] = shape(json.loads(say("check", "--statistics", "--output-format", "json")))
    found["rule"] = shape(json.loads(say("rule", "--all", "--output-format", "json")))
    found["list of rules"] = shape(json.loads(say("rule", "--output-format", "json")))
    found["config"] = shape(json.loads(say("config", "--output-format", "json")))
    schema = json.loads((ROOT / "docs/verify.schema.json").read_text("utf-8"))
    found["verify"] = _without(schema, {"description", "title", "$id"})
    schema = json.loads((ROOT / "docs/doctor.schema.json").read_text("utf-8"))
    found["doctor"] = _without(schema, {"description", "title", "$id"})
    found["measured"] = sorted(json_report._measured(_MEASURED))
    return found


_MEASURED = Measurement(**dict.fromkeys(Measurement._fields, None))  # type: ignore[arg-type]


def exit_codes(project: Path, monkeypatch: Any) -> object:
    """What the command answers, by what came of it."""
    (project / "clean.py").write_text("x = 1\n", "utf-8")
    codes = {
        "nothing found": main.main(["check", "clean.py"]),
        "findings": main.main(["check", "docs/examples"]),
        "findings, --exit-zero": main.main(["check", "docs/examples", "--exit-zero"]),
        "unknown flag": main.main(["check", "--no-such-flag"]),
        "no such path": main.main(["check", "no-such-path"]),
    }
    monkeypatch.setattr("dlint.engine.analyse.analyse", lambda *_: 1 / 0)
    return codes | {"a fault of dlint": main.main(["check", "clean.py"])}


def shape(value: object) -> object:
    """The fields of JSON data, and the types of their values."""
    if isinstance(value, Mapping):
        return {key: shape(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return {"[]": _joined(shape(inner) for inner in value)}
    return [type(value).__name__]


def _joined(shapes: Iterable[object]) -> object:
    """The shape of what may have any of these shapes."""
    fields: dict[str, list[object]] = {}
    types: set[str] = set()
    for found in shapes:
        if isinstance(found, dict):
            for key, inner in found.items():
                fields.setdefault(key, []).append(inner)
        elif isinstance(found, list):
            types.update(found)
    if not fields:
        return sorted(types)
    joined = {key: _joined(inner) for key, inner in sorted(fields.items())}
    return {**joined, "or": sorted(types)} if types else joined


def _of_xml(text: str) -> object:
    """The elements of a document with their attributes."""
    found: dict[str, set[str]] = {}
    for element in ElementTree.fromstring(text).iter():
        found.setdefault(element.tag, set()).update(element.attrib)
    return {tag: sorted(attributes) for tag, attributes in sorted(found.items())}


def _without(value: object, keys: set[str]) -> object:
    if isinstance(value, dict):
        return {k: _without(inner, keys) for k, inner in value.items() if k not in keys}
    return [_without(inner, keys) for inner in value] if isinstance(value, list) else value
