"""`--baseline` and `--update-baseline`: findings that a project has accepted as they were."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from dlint import rule_docs
from dlint.cli.checker import Checker, Input
from dlint.cli.output import Output
from dlint.findings.words import counted
from dlint.fixes.write import WriteError, replace
from dlint.reports.hidden import BASELINE
from dlint.suppression.baseline import Baseline, Entry, parse
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources, read
from dlint.workspace.source import Source, UnreadableError
from dlint.workspace.spelling import normal, spelled

_MOST_TOLD = 10
_APART = ("fix", "diff", "add_ignore", "stdin_filename", "diff_base")


def install(checker: Checker, path: Path) -> None:
    """Let a check leave out what a baseline accepts. Raises UsageError."""
    if not path.exists():
        raise UsageError(f"there is no baseline {path}: `--update-baseline` makes one")
    baseline = parse(path, _source(path).text)
    checker.filters.append((BASELINE, baseline.unknown))


def remove_fixed(
    checker: Checker, output: Output, given: Input, sources: Sources, path: Path
) -> None:
    """Say what of a baseline is no longer found, and remove it from the file."""
    source = _source(path)
    old = parse(path, source.text)
    new = old.without_fixed(checker.unfiltered, _judge(checker, given, path), sources)
    fixed = new.lacks(old)
    if not fixed:
        return
    number = fixed.total()
    is_done = _write(source, new, output)
    done = f", and removed from {path.name}" if is_done else ""
    output.note(f"{counted(number, 'finding')} of the baseline {_are(number)} fixed{done}:")
    for entry, count in sorted(fixed.items())[:_MOST_TOLD]:
        times = f" ({count} times)" if count > 1 else ""
        output.note(f"  {entry.file}: {entry.rule}: {old.code[entry]}{times}")
    if len(fixed) > _MOST_TOLD:
        output.note(f"  and {len(fixed) - _MOST_TOLD} more")


def update(
    checker: Checker,
    output: Output,
    given: Input,
    namespace: argparse.Namespace,
    path: Path | None,
) -> int:
    """Write what is found to the baseline. Returns the exit code of what it cannot hold."""
    path = _asked(namespace, given, path)
    source = _source(path) if path.exists() else Source(spelled(path), "")
    old = parse(path, source.text) if path.exists() else Baseline(path, {}, {})
    sources = Sources()
    found = checker.analyse(sources)
    output.told(checker.warnings, checker.notes)
    accepted = [d for d in found if d.name not in rule_docs.FILE_RULES]
    left = old.without_fixed(checker.unfiltered, _judge(checker, given, path), sources)
    new = left.with_found(accepted, sources)
    try:
        replace(source, new.text())
    except WriteError as error:
        raise UsageError(str(error)) from error
    output.note(_told(old, new, path))
    checker.hidden.findings[BASELINE] += len(accepted)
    rest = [d for d in found if d.name in rule_docs.FILE_RULES]
    return output.report(rest, sources, checker.hidden)


def _asked(namespace: argparse.Namespace, given: Input, path: Path | None) -> Path:
    """The file to write. Raises UsageError."""
    if path is None:
        raise UsageError("`--update-baseline` needs to know the file: `--baseline FILE`")
    apart = [name for name in _APART if getattr(namespace, name) not in {None, False}]
    if apart or given.overrides:
        other = f"`--{apart[0].replace('_', '-')}`" if apart else "standard input"
        raise UsageError(f"`--update-baseline` and {other} do not go together")
    return path


def _told(old: Baseline, new: Baseline, path: Path) -> str:
    added, fixed = old.lacks(new).total(), new.lacks(old).total()
    number = Counter(new.counts).total()
    return f"{path.name}: {counted(number, 'finding')} accepted ({added} new, {fixed} fixed)."


def _judge(checker: Checker, given: Input, path: Path) -> Callable[[Entry], bool]:
    """Tells whether the last survey would have found what an entry stands for."""
    broken = {d.place.path for d in checker.unfiltered if d.name in rule_docs.FILE_RULES}
    checked = frozenset().union(*(project.reported for project in given.projects)) - broken

    def judged(entry: Entry) -> bool:
        file = normal(path.parent / entry.file)
        if rule_docs.resolve(entry.rule) is None or not Path(file).exists():
            return True
        return file in checked and entry.rule in checker.ran(file)

    return judged


def _source(path: Path) -> Source:
    try:
        return read(spelled(path))
    except UnreadableError as error:
        raise UsageError(str(error)) from error


def _write(source: Source, baseline: Baseline, output: Output) -> bool:
    """Whether the file could be written: where it cannot, the check is none the worse for it."""
    try:
        replace(source, baseline.text())
    except WriteError as error:
        output.note(f"warning: {error}")
        return False
    return True


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
