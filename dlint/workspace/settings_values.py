"""Settings made of the tables in which they are written."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dlint.workspace.areas import Area, Given, Override
from dlint.workspace.errors import UsageError
from dlint.workspace.globs import Globs
from dlint.workspace.settings import Settings, read_settings
from dlint.workspace.settings_table import OfFiles, OfRules, Table, checked, validated
from dlint.workspace.spelling import spelled

_OF_RULES = ("extend_select", "ignore", "extend_safe_fixes", "extend_unsafe_fixes", "unfixable")
_AS_THEY_ARE = (
    *("preview", "fail_on", "output_format", "root"),
    *("unsafe_fixes", "respect_gitignore", "force_exclude"),
)


def from_file(path: Path, raw: bytes, base: Path | None = None) -> Settings | None:
    """The settings of one file; None for a pyproject.toml without the table. Raises UsageError.

    Globs and paths in it are relative to `base`, else to its folder.
    """
    try:
        text = raw.decode("utf-8-sig")
        table: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot parse {path}: {error}") from error
    if path.name == "pyproject.toml":
        tool = table.get("tool") if isinstance(table, dict) else None
        table = tool.get("dlint") if isinstance(tool, dict) else None
        if table is None:
            return None
    return Settings(path=path, **_fields(validated(path, text, table), base or path.parent, path))


def given(options: Sequence[str], is_isolated: bool) -> Given:
    """What the values of `--config` say: `KEY=VALUE` in TOML, or the path of a file.

    Globs and paths in them are relative to the working directory. Raises UsageError.
    """
    file: Settings | None = None
    table: dict[str, Any] = {}
    for option in options:
        if "=" in option and not Path(option).is_file():
            _merge(table, _pair(option))
        elif file is not None or is_isolated:
            other = "--isolated" if is_isolated else "--config FILE"
            raise UsageError(f"`--config {option}` and `{other}` do not go together")
        else:
            file = _named(Path(os.path.abspath(option)))  # noqa: PTH100
    values = checked(table, lambda _: "--config")
    return Given(_fields(values, Path.cwd(), None), file, is_isolated)


def _named(path: Path) -> Settings:
    """The settings of a file that the command line names."""
    if not path.is_file():
        raise UsageError(f"`--config` takes KEY=VALUE or a file; there is no file {path}")
    found = from_file(path, read_settings(path), Path.cwd())
    if found is None:
        raise UsageError(f"{path} has no table `tool.dlint`")
    return found


def _pair(option: str) -> dict[str, Any]:
    try:
        return tomllib.loads(option)
    except tomllib.TOMLDecodeError as error:
        key, _, value = (part.strip() for part in option.partition("="))
        quoted = f"`--config '{key} = \"{value}\"'`"
        hint = f": did you mean {quoted}?" if value.replace("-", "").isalnum() else f": {error}"
        raise UsageError(f"`--config {option}` is no TOML{hint}") from error


def _merge(table: dict[str, Any], other: dict[str, Any]) -> None:
    """Put values into a table of tables; what is there already is replaced."""
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(table.get(key), dict):
            _merge(table[key], value)
        else:
            table[key] = value


def _fields(values: Table, base: Path, path: Path | None) -> dict[str, Any]:
    """What a table sets, by the names of `Settings`; globs and paths are relative to `base`."""
    found = _of_rules(values) | {name: getattr(values, name) for name in _AS_THEY_ARE}
    found |= {
        "overrides": tuple(_override(files, base, path) for files in values.overrides),
        "exclude": Globs(values.exclude, str(base)) if values.exclude else None,
        "per_file_ignores": tuple(
            (_area([glob], base), tuple(names)) for glob, names in values.per_file_ignores.items()
        ),
        "extension": tuple(values.extension.items()),
        "cache_dir": _inside(base, "cache-dir", values.cache_dir, path),
        "baseline": _inside(base, "baseline", values.baseline, path),
    }
    return {name: value for name, value in found.items() if name in values.model_fields_set}


def _of_rules(values: OfRules) -> dict[str, Any]:
    selectors = {name: tuple(getattr(values, name)) for name in _OF_RULES}
    return selectors | {
        "select": None if values.select is None else tuple(values.select),
        "severity": tuple(values.severity.items()),
        "preview": values.preview,
    }


def _override(values: OfFiles, base: Path, path: Path | None) -> Override:
    return Override(_area(values.files, base), Settings(path=path, **_of_rules(values)))


def _area(globs: Sequence[str], base: Path) -> Area:
    return Area(Globs(globs, str(base)), spelled(base))


def _inside(base: Path, key: str, name: str | None, path: Path | None) -> Path | None:
    """What dlint may write: what a project names for that lies in the project."""
    if name is None:
        return None
    found = Path(os.path.abspath(base / name))  # noqa: PTH100
    if path is not None and not found.resolve().is_relative_to(base.resolve()):
        raise UsageError(f"{path}: `{key}`: {name} lies outside of {base}")
    return found
