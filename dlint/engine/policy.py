"""What the settings and the command line make of the findings in each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from dlint.engine.selection import Layer, Selection, rules_of, select, values_of
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.workspace.discover import Project
from dlint.workspace.settings import Configuration, Settings


class FilePolicy:
    """What holds for the findings in a file."""

    def __init__(
        self,
        selection: Selection,
        severities: Mapping[str, Severity],
        safety: Mapping[str, Applicability],
        unfixable: frozenset[str],
    ) -> None:
        self.selection = selection
        self.severities = severities
        """Of the rules whose findings have another severity than dlint gives them."""
        self.safety = safety
        """Of the rules whose fixes are safer, or less safe, than dlint says."""
        self.unfixable = unfixable

    def applied(self, diagnostic: Diagnostic) -> Diagnostic:
        """The finding as it is reported."""
        name, fix = diagnostic.name, diagnostic.fix
        if name in self.severities:
            diagnostic = diagnostic._replace(severity=self.severities[name])
        if fix is None or fix.applicability is Applicability.TRIAL:
            return diagnostic
        if name in self.unfixable:
            return diagnostic._replace(fix=None)
        if name in self.safety:
            return diagnostic._replace(fix=fix._replace(applicability=self.safety[name]))
        return diagnostic


class Policy:
    """Answers for each file by the settings that govern it."""

    def __init__(self, configuration: Configuration, own: Layer) -> None:
        self._configuration = configuration
        self._own = own
        """What the command line says."""
        self._made: dict[tuple[Settings, ...], FilePolicy] = {}

    def check(self, settings: Iterable[Settings]) -> None:
        """Raise UsageError for a name that no rule has, whatever the findings will be."""
        for one in settings:
            self._of((one, *(override.settings for override in one.overrides)))
            for _, names in one.per_file_ignores:
                rules_of(names, one.origin)

    def settings(self, path: str) -> Settings:
        """The settings that govern a file, without what overrides change in them."""
        return self._configuration.governing(Path(path).parent)

    def of(self, path: str) -> FilePolicy:
        """What holds for a file."""
        return self._of(_layers(self.settings(path), path))

    def rules(self, project: Project) -> frozenset[str]:
        """The rules that run on some reported file of a project."""
        return frozenset().union(*(policy.selection.rules for policy in self._all(project)))

    def off(self, project: Project) -> frozenset[str]:
        """The rules that would run on some reported file of a project but for the settings."""
        if all(s.select is None and not s.ignore + s.overrides for s in project.settings):
            return frozenset()
        wanted = select([self._own]).rules
        return frozenset().union(*(wanted - p.selection.rules for p in self._all(project)))

    def is_ignored(self, diagnostic: Diagnostic) -> bool:
        """Whether `per-file-ignores` leave out a finding."""
        path = diagnostic.place.path
        settings = self.settings(path)
        return any(
            diagnostic.name in rules_of(names, settings.origin)
            for area, names in settings.per_file_ignores
            if area.holds(path)
        )

    def _all(self, project: Project) -> Iterator[FilePolicy]:
        """What holds for the reported files; each file is looked at only where files differ."""
        if not any(settings.overrides for settings in project.settings):
            return (self._of((settings,)) for settings in project.settings)
        return (self.of(path) for path in project.reported)

    def _of(self, layers: tuple[Settings, ...]) -> FilePolicy:
        found = self._made.get(layers)
        if found is None:
            found = self._made[layers] = self._policy(layers)
        return found

    def _policy(self, layers: Sequence[Settings]) -> FilePolicy:
        severities: dict[str, Severity] = {}
        safety: dict[str, Applicability] = {}
        unfixable: set[str] = set()
        for layer in layers:
            given = ((name, Severity(severity)) for name, severity in layer.severity)
            severities |= values_of(given, layer.origin)
            safe = ((name, Applicability.SAFE) for name in layer.extend_safe_fixes)
            unsafe = ((name, Applicability.UNSAFE) for name in layer.extend_unsafe_fixes)
            safety |= values_of([*safe, *unsafe], layer.origin)
            unfixable |= rules_of(layer.unfixable, layer.origin)
        selection = select([*map(_layer, layers), self._own])
        return FilePolicy(selection, severities, safety, frozenset(unfixable))


def _layers(settings: Settings, path: str) -> tuple[Settings, ...]:
    """The settings of a file, the last ones the strongest."""
    return settings, *(o.settings for o in settings.overrides if o.area.holds(path))


def _layer(settings: Settings) -> Layer:
    return Layer(
        settings.select,
        settings.extend_select,
        settings.ignore,
        settings.origin,
        settings.preview,
    )
