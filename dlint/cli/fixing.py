"""`--fix` and `--diff`: what the fixes of a run's findings come to."""

from __future__ import annotations

import argparse

from dlint.cli.checker import Checker, Input
from dlint.cli.output import Output
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.operations import place_of
from dlint.fixes.apply import Analyse, FixResult, fix_all
from dlint.fixes.write import WriteError, write_all
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources


def fix(checker: Checker, output: Output, given: Input, namespace: argparse.Namespace) -> int:
    """Apply fixes, or print what they would change. Returns the exit code."""
    sources = Sources(given.overrides)
    analyse: Analyse = checker.analyse
    if given.overrides:
        analyse = confined(analyse, frozenset(given.overrides))
    result = fix_all(analyse, sources, output.applicable)
    output.told(checker.warnings, checker.notes)
    changed = sources.with_changes(
        {path: sources.get(path).with_text(text) for path, text in result.texts.items()}
    )
    if namespace.diff:
        _print_diff(result, sources, output)
        output.would_fix(len(result.applied), result.remaining, changed)
        output.hidden(checker.hidden)
        return output.exit_code(bool(result.texts))
    for path in given.overrides:
        output.pass_on(changed.get(path), changed.get(path).text)
    if not given.overrides:
        _write(result, sources)
    fixed = len(result.applied)
    aside = bool(given.overrides)
    return output.report(result.remaining, changed, checker.hidden, fixed, aside)


def confined(analyse: Analyse, paths: frozenset[str]) -> Analyse:
    """The same analysis without fixes that would change other files than these."""

    def within(sources: Sources) -> list[Diagnostic]:
        return [d if _is_within(d, paths) else d._replace(fix=None) for d in analyse(sources)]

    return within


def _is_within(diagnostic: Diagnostic, paths: frozenset[str]) -> bool:
    operations = () if diagnostic.fix is None else diagnostic.fix.operations
    return all(place_of(operation).path in paths for operation in operations)


def _print_diff(result: FixResult, sources: Sources, output: Output) -> None:
    for path, text in sorted(result.texts.items()):
        output.diff(sources.get(path), text)


def _write(result: FixResult, sources: Sources) -> None:
    try:
        write_all([(sources.get(path), text) for path, text in sorted(result.texts.items())])
    except WriteError as error:
        raise UsageError(str(error)) from error
