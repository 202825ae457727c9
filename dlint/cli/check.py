"""Find the mistakes people make around torch's DataLoader, and fix them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dlint.cli.check_arguments import add_arguments
from dlint.cli.checker import Checker, Input, read_input
from dlint.cli.output import Output
from dlint.cli.progress import followed
from dlint.cli.recovering import recover
from dlint.engine.processes import available
from dlint.findings.diagnostic import Applicability
from dlint.workspace import kinds
from dlint.workspace.discover import absolute
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Configuration, Settings

__all__ = ["Prepared", "add_arguments", "applicable", "configuration_of", "prepare", "run"]


def run(namespace: argparse.Namespace) -> int:
    """Check what was asked for. Returns 0 when nothing was found or all was fixed, else 1.

    Raises UsageError for what cannot be done, and the crash of a rule once the rest is told.
    """
    recover([namespace.stdin_filename or "-", *namespace.paths])
    if namespace.watch:
        from dlint.cli.watching import watch

        return watch(namespace, [p.root for p in prepare(namespace).given.projects], _once)
    return _once(namespace)


def _once(namespace: argparse.Namespace) -> int:
    given, settings, checker, baseline = prepare(namespace)
    checker.jobs = namespace.jobs or available()
    checker.followed = lambda: followed(namespace.quiet)
    output = Output(namespace, settings, applicable(namespace, settings))
    if namespace.show_files or namespace.show_settings:
        from dlint.cli import showing

        if namespace.show_files:
            return showing.show_files(given)
        return showing.show_settings(checker, output, given)
    for note in given.notes:
        output.note(note)
    return _outcome(checker, output, given, namespace, baseline)


def _outcome(
    checker: Checker,
    output: Output,
    given: Input,
    namespace: argparse.Namespace,
    baseline: Path | None,
) -> int:
    """Do with the findings what is asked for. Returns the exit code."""
    if namespace.update_baseline:
        from dlint.cli.baselining import update

        return update(checker, output, given, namespace, baseline)
    if namespace.diff and namespace.add_ignore is not None:
        raise UsageError("`--diff` and `--add-ignore` do not go together")
    _narrow(checker, output, given, namespace.diff_base, baseline)
    if namespace.add_ignore is not None:
        from dlint.cli.adding_ignores import adopt

        return adopt(checker, output, given, namespace.add_ignore)
    if namespace.fix or namespace.diff:
        from dlint.cli.fixing import fix

        return fix(checker, output, given, namespace)
    checker.is_last = not namespace.watch
    return _report(checker, output, given, baseline)


def _narrow(
    checker: Checker, output: Output, given: Input, revision: str | None, baseline: Path | None
) -> None:
    """Leave out what a baseline accepts, and what lies on lines that did not change."""
    if baseline is not None:
        from dlint.cli.baselining import install

        install(checker, baseline)
    if revision is not None:
        from dlint.cli.changed import install as install_changes

        install_changes(checker, output, given, revision)


def _report(checker: Checker, output: Output, given: Input, baseline: Path | None) -> int:
    """Report what is found, and what of the baseline no longer is."""
    sources = Sources(given.overrides)
    found = checker.survey(sources)
    output.told(checker.warnings, checker.notes)
    code = output.report(found, sources, checker.hidden)
    for crash in checker.crashes:
        raise crash
    if baseline is not None and not given.overrides:
        from dlint.cli.baselining import remove_fixed

        remove_fixed(checker, output, given, sources, baseline)
    return code


class Prepared(NamedTuple):
    """What is checked, under which settings, and by what."""

    given: Input
    settings: Settings
    checker: Checker
    baseline: Path | None
    """The file of findings that are accepted, if there is one."""


def prepare(namespace: argparse.Namespace) -> Prepared:
    """Find what is to be checked, and read its settings. Raises UsageError."""
    configuration = configuration_of(namespace)
    settings = _general(configuration, namespace.stdin_filename or namespace.paths[0])
    kinds.assign(dict(settings.extension) | _extensions(namespace.extension or ()))
    given = read_input(namespace, configuration)
    baseline = absolute(namespace.baseline) if namespace.baseline else settings.baseline
    if baseline is not None:
        given = given.without(str(baseline))
    return Prepared(given, settings, Checker(namespace, configuration, given), baseline)


def configuration_of(namespace: argparse.Namespace) -> Configuration:
    """Where settings come from. Raises UsageError for values that are none."""
    if not namespace.config and not namespace.isolated:
        return Configuration()
    from dlint.workspace.settings_values import given

    return Configuration(given(namespace.config or (), namespace.isolated))


def _extensions(given: Iterable[str]) -> dict[str, str]:
    """The kinds by suffix. Raises UsageError."""
    found = dict(text.rpartition(":")[::2] for text in given)
    for suffix, kind in found.items():
        if not suffix or kind not in kinds.KINDS:
            known = ", ".join(kinds.KINDS)
            raise UsageError(f"`--extension` takes SUFFIX:KIND, KIND one of {known}")
    return found


def _general(configuration: Configuration, path: str) -> Settings:
    """The settings for what belongs to no file: the working directory's, else the first path's."""
    own = configuration.governing(Path.cwd())
    first = absolute(path)
    if own.path is None:
        own = configuration.governing(first if first.is_dir() else first.parent)
    return own


def applicable(namespace: argparse.Namespace, settings: Settings) -> frozenset[Applicability]:
    """The fixes that `--fix` applies under these flags and settings."""
    asked: bool | None = namespace.unsafe_fixes
    unsafe = settings.unsafe_fixes if asked is None else asked
    return frozenset({Applicability.SAFE, *([Applicability.UNSAFE] if unsafe else [])})
