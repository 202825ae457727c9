"""`--watch`: the check again, each time something changes that it reads."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.cli.main import report_crash, report_misuse
from dlint.workspace import ignore_files, kinds
from dlint.workspace.errors import DlintCrash, UsageError
from dlint.workspace.settings import FILE_NAMES
from dlint.workspace.walk import SKIPPED

if TYPE_CHECKING:
    from watchfiles import Change

EXTRA = "dataloader-lint[watch]"
_APART = ("diff", "add_ignore", "update_baseline", "show_files", "show_settings", "output_file")
_NAMES = frozenset({*FILE_NAMES, ignore_files.NAME})
_SETTLED, _LOOK = 100, 200
"""Milliseconds without a change after which a check begins; and in which an end is noticed."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watch(
    namespace: argparse.Namespace, roots: list[Path], once: Callable[[argparse.Namespace], int]
) -> int:
    """Check again and again until somebody interrupts it. Returns 0. Raises UsageError."""
    _refuse(namespace)
    try:
        for _ in _changes(roots):
            _start(namespace)
            _checked(namespace, once)
    except KeyboardInterrupt:
        sys.stdout.flush()
    return 0


def _refuse(namespace: argparse.Namespace) -> None:
    other = [name for name in _APART if getattr(namespace, name) not in {None, False}]
    if other:
        flag = other[0].replace("_", "-")
        raise UsageError(f"`--watch` and `--{flag}` do not go together")
    if "-" in namespace.paths:
        raise UsageError("`--watch` needs files: standard input does not change")


def _changes(roots: list[Path]) -> Iterator[None]:
    """At the beginning, and whenever something that matters has changed. Raises UsageError."""
    try:
        import watchfiles
    except ModuleNotFoundError as error:
        raise UsageError(
            f"`--watch` needs watchfiles, which is not installed: pip install '{EXTRA}'"
        ) from error
    seen = watchfiles.watch(
        *roots,
        watch_filter=_matters,
        step=_SETTLED,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
    )
    try:
        next(seen, None)  # what changes in a check is seen from here on
        yield
        for changes in seen:
            if changes:
                yield
    except OSError as error:
        raise UsageError(f"cannot watch {', '.join(map(str, roots))}: {error}") from error


def _matters(change: Change, path: str) -> bool:
    """Whether a file may change what is found: one that is read, of settings, or of ignores."""
    del change
    file = Path(path)
    if not SKIPPED.isdisjoint(file.parts):
        return False
    return file.name in _NAMES or kinds.kind_of(file.name) is not None


def _start(namespace: argparse.Namespace) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(_CLEAR)
    if not namespace.quiet:
        sys.stderr.write("Watching for changes; Ctrl-C ends it.\n")


def _checked(namespace: argparse.Namespace, once: Callable[[argparse.Namespace], int]) -> None:
    """One check; what goes wrong in it is told, and the next may do better."""
    try:
        once(namespace)
    except UsageError as error:
        report_misuse(str(error))
    except DlintCrash as crash:
        report_crash(crash)
    sys.stdout.flush()
    gc.collect()
