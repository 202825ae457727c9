"""The `[tool.dlint]` table: its keys, their types, and what is said of a wrong one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dlint.workspace.errors import UsageError

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


class Table(BaseModel):
    """The keys that a configuration file may hold."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=lambda name: name.replace("_", "-"),
    )

    select: list[str] | None = Field(None, description="Rules to run: names, codes, prefixes, ALL")
    extend_select: list[str] = Field([], description="Rules to run besides `select`")
    ignore: list[str] = Field([], description="Rules not to run")
    preview: bool | None = Field(None, description="Run rules in preview too")
    exclude: list[str] = Field([], description="Globs of files and directories to leave out")
    per_file_ignores: dict[str, list[str]] = Field({}, description="Glob to rules not shown there")
    fail_on: Literal["error", "warning", "info"] | None = Field(
        None, description="Least severity that makes the run fail"
    )
    output_format: OutputFormat | None = Field(None, description="How findings are printed")
    baseline: str | None = Field(None, description="File of the findings that are accepted")
    cache_dir: str | None = Field(None, description="Where indexes are kept between runs")
    unsafe_fixes: bool = Field(False, description="Apply and count unsafe fixes too")
    respect_gitignore: bool = Field(True, description="Leave out what git ignores")
    force_exclude: bool = Field(False, description="Apply `exclude` to paths given by name too")
    extension: dict[str, Literal["python", "notebook", "yaml", "json", "toml", "shell"]] = Field(
        {}, description="Suffix to the kind of its files"
    )


def valid_keys() -> list[str]:
    """The keys as they are written."""
    return sorted(field.alias or name for name, field in Table.model_fields.items())


def validated(path: Path, text: str, table: object) -> Table:
    """The table of the file at `path`, whose whole text is `text`. Raises UsageError."""
    try:
        return Table.model_validate(table)
    except ValidationError as error:
        in_pyproject = path.name == "pyproject.toml"
        problems = []
        for found in error.errors(include_url=False):
            keys = [str(part) for part in found["loc"]]
            row = line_of(text, ("tool", "dlint") if in_pyproject else (), keys[:2])
            at = f"{path}:{row}" if row else str(path)
            problems.append(f"{at}: {_complaint(keys, found['type'], found['msg'])}")
        raise UsageError("\n".join(problems)) from error


def _complaint(keys: Sequence[str], kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return _unknown(keys[0])
    where = f"`{keys[0]}`" if keys else "the table"
    return f"{where}: {message[:1].lower()}{message[1:]}"


def _unknown(key: str) -> str:
    from difflib import get_close_matches

    known = valid_keys()
    close = get_close_matches(key.replace("_", "-"), known, n=1)
    guess = f", did you mean `{close[0]}`?" if close else ""
    return f"unknown key `{key}`{guess}\n  valid keys: {', '.join(known)}"


def line_of(text: str, table: Sequence[str], keys: Sequence[str]) -> int | None:
    """The line (from 1) that sets `keys` in `table`, or opens what lies nearest to it."""
    best: tuple[int, int] | None = None
    wanted = [*table, *keys]
    current: list[str] = []
    for row, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\[\]]+?)\s*\]+\s*(?:#.*)?$", line):
            current = reached = _parts(header[1])
        elif assigned := re.match(r"\s*([\w.\-\"' ]+?)\s*=", line):
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
