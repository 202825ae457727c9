"""What a configuration file sets, and which file governs a directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from dlint.workspace.errors import UsageError
from dlint.workspace.globs import Globs

FILE_NAMES = ("dlint.toml", ".dlint.toml", "pyproject.toml")
"""In one directory the first of them that speaks of dlint wins."""

Selectors = tuple[str, ...]


class Settings(NamedTuple):
    """The settings of one configuration file; without a file, the defaults."""

    path: Path | None = None
    select: Selectors | None = None
    extend_select: Selectors = ()
    ignore: Selectors = ()
    preview: bool | None = None
    exclude: Globs | None = None
    per_file_ignores: tuple[tuple[Globs, Selectors], ...] = ()
    fail_on: str | None = None
    output_format: str | None = None
    baseline: Path | None = None
    cache_dir: Path | None = None
    unsafe_fixes: bool = False
    respect_gitignore: bool = True
    force_exclude: bool = False
    extension: tuple[tuple[str, str], ...] = ()
    """Further suffixes, without their dot, each with the kind of its files."""


class Configuration:
    """The settings that govern each directory: those of the nearest file upwards, unmerged."""

    def __init__(self) -> None:
        self._governing: dict[Path, Settings] = {}
        self._defaults = Settings()

    def governing(self, directory: Path) -> Settings:
        """The settings for files in `directory` (absolute).

        Raises UsageError for a file that cannot be read or holds something dlint does not know.
        """
        found = self._governing.get(directory)
        if found is None:
            found = self._own(directory) or self._above(directory)
            self._governing[directory] = found
        return found

    def _above(self, directory: Path) -> Settings:
        parent = directory.parent
        return self._defaults if parent == directory else self.governing(parent)

    def _own(self, directory: Path) -> Settings | None:
        """The settings of a file in this very directory."""
        for name in FILE_NAMES:
            path = directory / name
            if path.is_file() and (settings := _load(path)) is not None:
                return settings
        return None


def _load(path: Path) -> Settings | None:
    """The settings of one file; None for a pyproject.toml that does not speak of dlint."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    in_pyproject = path.name == "pyproject.toml"
    if in_pyproject and b"dlint" not in raw:
        return None
    document = _parsed(path, raw)
    if not in_pyproject:
        return _settings(path, raw, document)
    tool = document.get("tool")
    table = tool.get("dlint") if isinstance(tool, dict) else None
    return None if table is None else _settings(path, raw, table)


def _parsed(path: Path, raw: bytes) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot parse {path}: {error}") from error


def _settings(path: Path, raw: bytes, table: object) -> Settings:
    from dlint.workspace.settings_table import validated

    values = validated(path, raw.decode("utf-8-sig"), table)
    base = str(path.parent)
    return Settings(
        path=path,
        select=None if values.select is None else tuple(values.select),
        extend_select=tuple(values.extend_select),
        ignore=tuple(values.ignore),
        preview=values.preview,
        exclude=Globs(values.exclude, base) if values.exclude else None,
        per_file_ignores=_per_file(values.per_file_ignores, base),
        fail_on=values.fail_on,
        output_format=values.output_format,
        baseline=None if values.baseline is None else _inside(path, values.baseline),
        cache_dir=None if values.cache_dir is None else path.parent / values.cache_dir,
        unsafe_fixes=values.unsafe_fixes,
        respect_gitignore=values.respect_gitignore,
        force_exclude=values.force_exclude,
        extension=tuple(values.extension.items()),
    )


def _inside(path: Path, name: str) -> Path:
    """A file that dlint may write: what a project names for that lies in the project."""
    found = Path(os.path.abspath(path.parent / name))  # noqa: PTH100
    if not found.resolve().is_relative_to(path.parent.resolve()):
        raise UsageError(f"{path}: `baseline`: {name} lies outside of {path.parent}")
    return found


def _per_file(table: Mapping[str, list[str]], base: str) -> tuple[tuple[Globs, Selectors], ...]:
    return tuple((Globs([glob], base), tuple(names)) for glob, names in table.items())
