"""`dlint.check`: a check of some paths, as `dlint check` makes it, for a program."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import NoReturn

from dlint.api.report import Report, public
from dlint.api.settings import Settings, options
from dlint.cli.baselining import install
from dlint.cli.check import applicable, prepare
from dlint.cli.check_arguments import add_arguments
from dlint.reports.view import View
from dlint.workspace import kinds
from dlint.workspace.errors import DlintCrash, UsageError
from dlint.workspace.reading import Sources

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_ONE_AT_A_TIME = Lock()
"""Which suffixes are read as what is known to the whole process."""


def check(paths: Paths = ".", settings: Settings | None = None) -> Report:
    """Check files and directories, and change nothing.

    The configuration files of the project count as they do for `dlint check`. Raises UsageError for
    what cannot be done: a path that is not there, a rule that there is not, a configuration file
    that cannot be read.
    """
    namespace = namespace_of(paths, settings or Settings())
    with _ONE_AT_A_TIME:
        try:
            return _checked(namespace)
        finally:
            kinds.assign({})


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def namespace_of(paths: Paths, settings: Settings) -> argparse.Namespace:
    """What the same command would be given. Raises UsageError."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    parser = _Parser(prog="dlint.check", add_help=False, allow_abbrev=False)
    add_arguments(parser)
    namespace = parser.parse_args([*options(settings)])
    namespace.paths = [os.fspath(path) for path in given]
    if "-" in namespace.paths:
        raise UsageError("standard input (`-`) cannot be checked from a program")
    if not namespace.paths:
        raise UsageError("no path was given")
    return namespace


def _checked(namespace: argparse.Namespace) -> Report:
    given, settings, checker, baseline = prepare(namespace)
    if baseline is not None:
        install(checker, baseline)
    sources = Sources()
    found = tuple(checker.survey(sources))
    left_out = checker.hidden.counts()
    view = View(sources, Path.cwd(), applicable(namespace, settings), left_out=left_out)
    warnings = (text.removeprefix("warning: ") for text in (*given.notes, *checker.warnings))
    return Report(
        findings=tuple(public(diagnostic, view) for diagnostic in found),
        warnings=tuple(warnings),
        crashes=tuple(map(_told, checker.crashes)),
        left_out=left_out,
        _found=found,
        _view=view,
    )


def _told(crash: DlintCrash) -> str:
    where = "" if crash.path is None else f" while it analysed {crash.path}"
    return f"the rule {crash.rule} crashed{where}: {crash.__cause__!r}"
