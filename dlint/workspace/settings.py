"""What a configuration file sets, and which file governs a directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.workspace.errors import UsageError

if TYPE_CHECKING:
    from dlint.workspace.areas import Area, Given, Override
    from dlint.workspace.globs import Globs

FILE_NAMES = ("dlint.toml", ".dlint.toml", "pyproject.toml")
"""In one directory the first of them that speaks of dlint wins."""

Selectors = tuple[str, ...]


_TABLES = frozenset({"severity", "per_file_ignores", "extension"})


class Settings(NamedTuple):
    """The settings of one configuration file; without a file, the defaults."""

    path: Path | None = None
    select: Selectors | None = None
    extend_select: Selectors = ()
    ignore: Selectors = ()
    preview: bool | None = None
    severity: tuple[tuple[str, str], ...] = ()
    extend_safe_fixes: Selectors = ()
    extend_unsafe_fixes: Selectors = ()
    unfixable: Selectors = ()
    overrides: tuple[Override, ...] = ()
    exclude: Globs | None = None
    per_file_ignores: tuple[tuple[Area, Selectors], ...] = ()
    fail_on: str | None = None
    output_format: str | None = None
    baseline: Path | None = None
    cache_dir: Path | None = None
    unsafe_fixes: bool = False
    respect_gitignore: bool = True
    force_exclude: bool = False
    root: bool = False
    """Whether the folder of the file is a project of its own."""
    extension: tuple[tuple[str, str], ...] = ()
    """Further suffixes, without their dot, each with the kind of its files."""

    @property
    def origin(self) -> str:
        """Where they stand, for messages."""
        return "the command line" if self.path is None else str(self.path)


class Configuration:
    """The settings that govern each directory: those of the nearest file upwards, unmerged."""

    def __init__(self, given: Given | None = None) -> None:
        self._governing: dict[Path, Settings] = {}
        self._given = given
        self.own = self._with_own(Settings())
        """What the command line sets, by itself."""

    def governing(self, directory: Path) -> Settings:
        """The settings for files in `directory` (absolute).

        Raises UsageError for a file that cannot be read or holds something dlint does not know.
        """
        found = self._governing.get(directory)
        if found is None:
            found = self._general() or self._of(directory) or self._above(directory)
            self._governing[directory] = found
        return found

    def is_root(self, directory: Path) -> bool:
        """Whether a file in this very directory says that a project begins here."""
        settings = self.governing(directory)
        return settings.root and settings.path is not None and settings.path.parent == directory

    def _general(self) -> Settings | None:
        """What governs every file, where no other settings are looked for."""
        if self._given is None or self._given.file is None:
            return self.own if self._given is not None and self._given.is_isolated else None
        return self._with_own(self._given.file)

    def _with_own(self, settings: Settings) -> Settings:
        """Settings with the values of the command line; of tables, the rows of both."""
        if self._given is None or not self._given.own:
            return settings
        own = dict(self._given.own)
        for name in _TABLES & own.keys():
            own[name] = getattr(settings, name) + own[name]
        return settings._replace(**own)

    def _above(self, directory: Path) -> Settings:
        parent = directory.parent
        return self.own if parent == directory else self.governing(parent)

    def _of(self, directory: Path) -> Settings | None:
        """The settings of a file in this very directory."""
        for name in FILE_NAMES:
            path = directory / name
            if path.is_file() and (settings := _load(path)) is not None:
                return self._with_own(settings)
        return None


def read_settings(path: Path) -> bytes:
    """The bytes of a configuration file. Raises UsageError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _load(path: Path) -> Settings | None:
    """The settings of one file; None for a pyproject.toml that does not speak of dlint."""
    raw = read_settings(path)
    if path.name == "pyproject.toml" and b"dlint" not in raw:
        return None
    from dlint.workspace.settings_values import from_file

    return from_file(path, raw)
