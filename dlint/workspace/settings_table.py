"""The `[tool.dlint]` table: its keys, their types, and what is said of a wrong one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from dlint.findings.regexes import lazily
from dlint.workspace.errors import UsageError

Selector = Annotated[str, WithJsonSchema({"type": "string", "format": "rule"})]
"""What names one rule or several, which `dlint/cli/settings_schema.py` spells out."""

Severity = Literal["error", "warning", "info"]
OutputFormat = Literal[
    "full",
    "concise",
    "json",
    "json-lines",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "sarif",
]

_OVERRIDES = "overrides"
_WANTED = {
    "bool_type": "input should be true or false",
    "string_type": "input should be a string, in quotes",
    "list_type": "input should be a list",
    "dict_type": "input should be a table",
}
"""What is said of a value of the wrong type, by pydantic's kinds of errors."""
_HEADER = lazily(r"\s*(\[+)\s*([^\[\]]+?)\s*\]+\s*(?:#.*)?$")
_ASSIGNED = lazily(r"""\s*((?:"[^"]*"|'[^']*'|[\w.\- ])+?)\s*=""")


class OfRules(BaseModel):
    """What may be set for some files only: which rules run there, and what comes of findings."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-"),
    )

    select: list[Selector] | None = Field(
        None, description="Rules to run: names, codes, prefixes, ALL"
    )
    extend_select: list[Selector] = Field([], description="Rules to run besides `select`")
    ignore: list[Selector] = Field([], description="Rules not to run")
    preview: bool | None = Field(None, description="Run rules in preview too")
    severity: dict[Selector, Severity] = Field(
        {}, description="Rules to the severity that their findings have"
    )
    extend_safe_fixes: list[Selector] = Field(
        [], description="Rules whose unsafe fixes are taken for safe"
    )
    extend_unsafe_fixes: list[Selector] = Field(
        [], description="Rules whose safe fixes are taken for unsafe"
    )
    unfixable: list[Selector] = Field([], description="Rules whose fixes are never applied")


class OfFiles(OfRules):
    """What is set for the files that some globs match."""

    files: list[str] = Field(
        min_length=1, description="Globs of the files and directories that this holds for"
    )


class Table(OfRules):
    """The keys that a configuration file may hold."""

    overrides: list[OfFiles] = Field(
        [], description="Keys about rules, for the files that `files` matches; the last one wins"
    )
    exclude: list[str] = Field([], description="Globs of files and directories to leave out")
    per_file_ignores: dict[str, list[Selector]] = Field(
        {}, description="Glob to rules not shown there"
    )
    fail_on: Severity | None = Field(
        None, description="Least severity that makes the run fail; any, where unset"
    )
    output_format: OutputFormat | None = Field(
        None, description="How findings are printed; `full` where unset"
    )
    root: bool = Field(
        False, description="Whether this folder is a project of its own, whatever lies above it"
    )
    baseline: str | None = Field(None, description="File of the findings that are accepted")
    cache_dir: str | None = Field(
        None, description="Where indexes are kept between runs; `.dlint_cache` where unset"
    )
    unsafe_fixes: bool = Field(False, description="Apply and count unsafe fixes too")
    respect_gitignore: bool = Field(True, description="Leave out what git ignores")
    force_exclude: bool = Field(False, description="Apply `exclude` to paths given by name too")
    extension: dict[str, Literal["python", "notebook", "yaml", "json", "toml", "shell"]] = Field(
        {}, description="Suffix to the kind of its files"
    )


def valid_keys(model: type[BaseModel] = Table) -> list[str]:
    """The keys as they are written."""
    return sorted(field.alias or name for name, field in model.model_fields.items())


def validated(path: Path, text: str, table: object) -> Table:
    """The table of the file at `path`, whose whole text is `text`. Raises UsageError."""
    above = ("tool", "dlint") if path.name == "pyproject.toml" else ()

    def place(keys: Sequence[str]) -> str:
        row = line_of(text, above, keys)
        return f"{path}:{row}" if row else str(path)

    return checked(table, place)


def checked(table: object, place: Callable[[Sequence[str]], str]) -> Table:
    """The table; `place` says where a key of it stands. Raises UsageError."""
    try:
        return Table.model_validate(table)
    except ValidationError as error:
        problems = []
        for found in error.errors(include_url=False):
            keys = [str(part) for part in found["loc"]]
            depth = 3 if keys[:1] == [_OVERRIDES] else 2
            complaint = _complaint(keys, found["type"], found["msg"], found["input"])
            problems.append(f"{place(keys[:depth])}: {complaint}")
        raise UsageError("\n".join(problems)) from error


def _complaint(keys: Sequence[str], kind: str, message: str, value: object) -> str:
    if kind == "extra_forbidden":
        return _unknown(keys)
    named = ".".join(_quoted(key) for key in keys if not key.isdecimal())
    where = f"`{named}`" if named else "the table"
    if kind == "missing":
        return f"{where} is missing"
    if kind == "list_type" and isinstance(value, str):
        return f"{where}: input should be a list: `{json.dumps([value], ensure_ascii=False)}`"
    text = _WANTED.get(kind, f"{message[:1].lower()}{message[1:]}")
    return f"{where}: {text}"


def _quoted(key: str) -> str:
    """A key as it is written in TOML."""
    return key if re.fullmatch(r"[\w-]+", key) else f'"{key}"'


def _unknown(keys: Sequence[str]) -> str:
    from difflib import get_close_matches

    key, inside = keys[-1], keys[:1] == [_OVERRIDES]
    known = valid_keys(OfFiles if inside else Table)
    if inside and key in valid_keys():
        return f"`{key}` holds for whole runs: it cannot stand in `{_OVERRIDES}`"
    close = get_close_matches(key.replace("_", "-"), known, n=1)
    guess = f", did you mean `{close[0]}`?" if close else ""
    return f"unknown key `{key}`{guess}\n  valid keys: {', '.join(known)}"


def line_of(text: str, table: Sequence[str], keys: Sequence[str]) -> int | None:
    """The line (from 1) that sets `keys` in `table`, or opens what lies nearest to it.

    The tables of an array are told apart by their number.
    """
    best: tuple[int, int] | None = None
    wanted = [*table, *keys]
    current: list[str] = []
    arrays: Counter[str] = Counter()
    for row, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            current = reached = _parts(header[2])
            if header[1] == "[[":
                current = reached = [*current, str(arrays[header[2]])]
                arrays[header[2]] += 1
        elif assigned := _ASSIGNED.match(line):
            reached = current + _parts(assigned[1])
        else:
            continue
        depth = len(reached)
        if reached == wanted[:depth] and depth >= len(table) and (not best or depth > best[0]):
            best = depth, row
    return best[1] if best else None


def _parts(dotted: str) -> list[str]:
    """The keys of a dotted key; quoted ones may hold dots."""
    found = re.findall(r"\"([^\"]*)\"|'([^']*)'|([\w\-]+)", dotted)
    return ["".join(groups) for groups in found]
