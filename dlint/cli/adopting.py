"""`--add-ignore`: suppression comments at every finding of a run."""

from __future__ import annotations

from itertools import groupby

from dlint.add_ignores import DEFAULT_REASON, add_ignores
from dlint.cli.checker import Checker, Input
from dlint.cli.output import Output
from dlint.errors import UsageError
from dlint.fixes.edits import apply_edits
from dlint.fixes.write import WriteError, write_all
from dlint.reports.summary import counted
from dlint.source import Source, Sources


def adopt(checker: Checker, output: Output, given: Input, reason: str) -> int:
    """Write the comments. Returns 0. Raises UsageError when a file cannot be written."""
    sources = Sources(given.overrides)
    found = [d for d in checker.analyse(sources) if d.name != "unreadable-file"]
    changed: list[tuple[Source, str]] = []
    suppressed = 0
    for path, group in groupby(found, lambda d: d.place.path):
        source = sources.get(path)
        added = add_ignores(source, group, reason or DEFAULT_REASON)
        suppressed += added.suppressed
        if added.edits:
            changed.append((source, apply_edits(source.text, added.edits)))
    _write(changed, given, output)
    output.told(checker.warnings, checker.notes)
    findings, files = counted(suppressed, "finding"), counted(len(changed), "file")
    output.note(f"Suppressed {findings} in {files}, {len(found) - suppressed} left.")
    return 0


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
