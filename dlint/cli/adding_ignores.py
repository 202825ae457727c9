"""`--add-ignore`: suppression comments at every finding of a run."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

from dlint.cli.checker import Checker, Input
from dlint.cli.output import Output
from dlint.findings.edits import apply_edits
from dlint.findings.words import counted
from dlint.fixes.write import WriteError, write_all
from dlint.suppression.add_ignores import DEFAULT_REASON, add_ignores
from dlint.workspace.errors import UsageError
from dlint.workspace.kinds import JSON, kind_of
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source


def adopt(checker: Checker, output: Output, given: Input, reason: str) -> int:
    """Write the comments. Returns 0. Raises UsageError when a file cannot be written."""
    sources = Sources(given.overrides)
    found = [d for d in checker.analyse(sources) if d.name != "unreadable-file"]
    changed: list[tuple[Source, str]] = []
    suppressed = 0
    without_comments: dict[str, set[str]] = {}
    for path, group in groupby(found, lambda d: d.place.path):
        source, of_path = sources.get(path), list(group)
        if kind_of(path) == JSON:
            without_comments[_relative(path, given)] = {d.name for d in of_path}
        added = add_ignores(source, of_path, reason or DEFAULT_REASON)
        suppressed += added.suppressed
        if added.edits:
            changed.append((source, apply_edits(source.text, added.edits)))
    _write(changed, given, output)
    output.told(checker.warnings, checker.notes)
    findings, files = counted(suppressed, "finding"), counted(len(changed), "file")
    output.note(f"Suppressed {findings} in {files}, {len(found) - suppressed} left.")
    if without_comments:
        output.note(_advice(without_comments))
    return 0


def _relative(path: str, given: Input) -> str:
    """A path as `per-file-ignores` has it beside the project's own configuration."""
    roots = [p.root for p in given.projects if Path(path).is_relative_to(p.root)]
    root = max(roots, key=lambda root: len(str(root)), default=Path("/"))
    return Path(path).relative_to(root).as_posix()


def _advice(names: dict[str, set[str]]) -> str:
    """What to write in the configuration for files that take no comments."""
    lines = [
        "JSON takes no comments. To leave these findings out, set in the configuration:",
        "[tool.dlint.per-file-ignores]",
        *(f'"{path}" = {json.dumps(sorted(found))}' for path, found in sorted(names.items())),
    ]
    return "\n".join(lines)


def _write(changed: list[tuple[Source, str]], given: Input, output: Output) -> None:
    if given.overrides:
        texts = {source.path: text for source, text in changed}
        for path, source in given.overrides.items():
            output.pass_on(source, texts.get(path, source.text))
        return
    try:
        write_all(changed)
    except WriteError as error:
        raise UsageError(str(error)) from error
