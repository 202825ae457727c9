"""Settings that hold for some files only, and what the command line says of settings.

Apart from the settings themselves: most runs need none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from dlint.workspace.globs import Globs
from dlint.workspace.settings import Settings


class Area(NamedTuple):
    """Files that globs match, or that lie in a directory that they match."""

    globs: Globs
    top: str
    """What the globs are relative to."""

    def holds(self, path: str) -> bool:
        """Whether a file is one of them."""
        return self.globs.cover(path, self.top)


class Override(NamedTuple):
    """What is set for some files: of the settings, what is about rules."""

    area: Area
    settings: Settings


class Given(NamedTuple):
    """What the command line says of the settings."""

    own: Mapping[str, Any] = MappingProxyType({})
    """Values that win over those of files, by the names of `Settings`."""
    file: Settings | None = None
    """The settings that govern all files, whatever lies beside those."""
    is_isolated: bool = False
    """Whether no file is looked for."""
