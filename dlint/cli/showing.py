"""`--show-files` and `--show-settings`: what a check would look at, and what holds there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from dlint.cli.checker import Checker, Input
from dlint.cli.output import Output
from dlint.engine.policy import FilePolicy
from dlint.findings.controls import in_one_line, visible
from dlint.findings.diagnostic import Applicability
from dlint.findings.words import counted
from dlint.workspace.settings import Settings

_Group = tuple[Settings, FilePolicy]


def show_files(given: Input) -> int:
    """Print the files, one a line. Returns 0."""
    for path in _paths(given):
        sys.stdout.write(f"{visible(in_one_line(path))}\n")
    return 0


def show_settings(checker: Checker, output: Output, given: Input) -> int:
    """Print the settings in TOML, once for all files that share them. Returns 0."""
    groups: dict[int, tuple[_Group, list[str]]] = {}
    for path in _paths(given):
        policy, settings = checker.policy.of(path), checker.policy.settings(path)
        groups.setdefault(id(policy), ((settings, policy), []))[1].append(path)
    texts = [
        "\n".join([*_head(group[0], paths), *_of_run(output), *_of_files(*group)])
        for group, paths in groups.values()
    ]
    sys.stdout.write(visible("\n\n".join(texts)) + "\n")
    return 0


def _paths(given: Input) -> list[str]:
    return sorted(frozenset().union(*(project.reported for project in given.projects)))


def _head(settings: Settings, paths: list[str]) -> Iterator[str]:
    more = f" and {counted(len(paths) - 1, 'more file')}" if len(paths) > 1 else ""
    yield f"# What holds for {in_one_line(paths[0])}{more}"
    where = "no file: these are the defaults" if settings.path is None else str(settings.path)
    yield f"# Settings from {in_one_line(where)}"


def _of_run(output: Output) -> Iterator[str]:
    yield _row("output-format", output.format)
    yield _row("fail-on", output.fail_on)
    yield _row("unsafe-fixes", Applicability.UNSAFE in output.applicable)


def _of_files(settings: Settings, policy: FilePolicy) -> Iterator[str]:
    for name, path in (("baseline", settings.baseline), ("cache-dir", settings.cache_dir)):
        if path is not None:
            yield _row(name, str(path))
    yield _row("exclude", list(settings.exclude.patterns) if settings.exclude else [])
    yield _row("extension", dict(settings.extension))
    yield _row("force-exclude", settings.force_exclude)
    yield _row("respect-gitignore", settings.respect_gitignore)
    yield _row(
        "per-file-ignores",
        {area.globs.patterns[0]: list(names) for area, names in settings.per_file_ignores},
    )
    yield _row("severity", dict(sorted(policy.severities.items())))
    for kind, key in (
        (Applicability.SAFE, "extend-safe-fixes"),
        (Applicability.UNSAFE, "extend-unsafe-fixes"),
    ):
        yield _row(key, sorted(name for name, safety in policy.safety.items() if safety is kind))
    yield _row("unfixable", sorted(policy.unfixable))
    yield _row("select", sorted(policy.selection.rules))


def _row(key: str, value: object) -> str:
    return f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    """A value on one line; a long list has a row for each item."""
    match value:
        case dict():
            pairs = (
                f"{json.dumps(key, ensure_ascii=False)} = {_toml(v)}" for key, v in value.items()
            )
            return f"{{ {', '.join(pairs)} }}" if value else "{}"
        case [_, _, *_]:
            return "[\n" + "".join(f"  {_toml(item)},\n" for item in value) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
