"""What the settings and the command line make of the findings in each file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dlint.engine.selection import Layer, Selection, rules_of, select
from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.settings import Configuration, Settings


class Policy:
    """Answers for each file by the settings that govern it."""

    def __init__(self, configuration: Configuration, own: Layer) -> None:
        self._configuration = configuration
        self._own = own
        """What the command line says."""
        self._selections: dict[Settings, Selection] = {}

    def check(self, settings: Iterable[Settings]) -> None:
        """Raise UsageError for a name that no rule has, whatever the findings will be."""
        for one in settings:
            self._selection(one)
            for _, names in one.per_file_ignores:
                rules_of(names, str(one.path))

    def rules(self, settings: Iterable[Settings]) -> frozenset[str]:
        """The rules that run somewhere under these settings."""
        return frozenset().union(*(self._selection(one).rules for one in settings))

    def off(self, settings: Iterable[Settings]) -> frozenset[str]:
        """The rules that would run but for these settings."""
        wanted = select([self._own]).rules
        return frozenset().union(*(wanted - self._selection(one).rules for one in settings))

    def selection(self, path: str) -> Selection:
        """The rules that run on a file."""
        return self._selection(self._settings(path))

    def is_ignored(self, diagnostic: Diagnostic) -> bool:
        """Whether `per-file-ignores` leave out a finding."""
        path = diagnostic.place.path
        settings = self._settings(path)
        return any(
            diagnostic.name in rules_of(names, str(settings.path))
            for globs, names in settings.per_file_ignores
            if settings.path is not None and globs.cover(path, str(settings.path.parent))
        )

    def _settings(self, path: str) -> Settings:
        return self._configuration.governing(Path(path).parent)

    def _selection(self, settings: Settings) -> Selection:
        found = self._selections.get(settings)
        if found is None:
            found = self._selections[settings] = select([_layer(settings), self._own])
        return found


def _layer(settings: Settings) -> Layer:
    origin = str(settings.path)
    return Layer(settings.select, settings.extend_select, settings.ignore, origin, settings.preview)
