"""What the engine is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.errors import DlintCrash
from dlint.workspace.source import Source

if TYPE_CHECKING:
    from dlint.engine.kept.passing import Passing


def nothing() -> None:
    """Do nothing."""


class Progress:
    """How far an analysis is."""

    def __init__(self) -> None:
        import mmap

        self.programs = 0
        """Programs of which all is said."""
        self._shared = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("Q")

    @property
    def modules(self) -> int:
        """Files that were read for it, in all programs.

        Those that forked processes have read count at once; two that are read at the same moment
        may count once.
        """
        return self._shared[0]

    @modules.setter
    def modules(self, number: int) -> None:
        self._shared[0] = number


class Request(NamedTuple):
    """One project to analyse."""

    root: Path
    files: Sequence[str] | Sequence[Path]
    """Every Python file and notebook of the project that may be analysed. It may be walked only
    when it is first looked at, so an engine that needs no other file should not touch it."""
    reported: frozenset[str]
    """Absolute paths whose findings are wanted."""
    rules: frozenset[str]
    """Names of the rules that run."""
    overrides: Mapping[str, Source] = MappingProxyType({})
    """Texts that stand for files on disk."""
    cache_dir: Path | None = None
    """Where indexes may be kept between runs; None when the user wants none."""
    cache_key: bytes = b""
    """What tells this user's entries from those that others have put there."""
    answers_dir: Path | None = None
    """Where answers may be kept, which a project must not be able to give."""
    passing: Passing | None = None
    """Where answers about texts that stand for files are kept while a process lives."""
    jobs: int = 1
    """How many processes may analyse programs beside each other."""
    progress: Progress | None = None
    """Where it is counted how far the analysis is."""
    pause: Callable[[], None] = nothing
    """Called now and then; what it raises ends the analysis."""
    is_last: bool = False
    """Whether the process ends with it, so that what nodes hold of each other may stay."""


class Outcome:
    """What was found, neither suppressed nor sorted."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.warnings: list[str] = []
        """What of the reported files was left out, and why."""
        self.silent: set[str] = set()
        """Config files that say nothing of loaders, which were not looked into."""
        self.uncommented: set[str] = set()
        """Reported files without any comment that speaks to dlint."""
        self.notes: list[str] = []
        """What was cut short and why, for `-v`."""
        self.crashes: list[DlintCrash] = []
        """Rules of dlint that failed; what the others found stands."""
        self.failed: set[str] = set()
        """Names of rules of other packages that failed, of which the warnings tell."""

    def note_crash(self, crash: DlintCrash) -> None:
        """A rule failed. One of another package is told, and is no fault of dlint."""
        rule = crash.rule
        package = None if rule is None else rule_docs.summaries()[rule].package
        if rule is None or package is None:
            self.crashes.append(crash)
        elif rule not in self.failed:
            from dlint.engine.own_rules import failure, traceback_of

            self.failed.add(rule)
            self.warnings.append(failure(crash, package))
            self.notes += traceback_of(crash)
