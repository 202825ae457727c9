"""Repositories laid out in one folder, checked as `dlint check` does."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from dlint.cli.check_arguments import add_arguments
from dlint.cli.checker import Checker, Input, read_input
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Configuration


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository, its files found once, ready to be checked any number of times."""

    directory: Path
    checker: Checker
    files: frozenset[str]
    """Absolute paths of all files that are checked."""

    def findings(self, sources: Sources) -> list[Diagnostic]:
        """What `dlint check` shows of it, with `sources` for the texts of its files."""
        return self.checker.analyse(sources)

    def relative(self, path: str) -> str:
        """A path as results name it: below the repository, with forward slashes."""
        return Path(path).relative_to(self.directory).as_posix()


def directories(corpus: Path, only: str = "") -> list[Path]:
    """The repositories of a corpus by name, or those among `only` (separated by commas).

    Raises UsageError when there is none.
    """
    if not corpus.is_dir():
        raise UsageError(f"no such directory: {corpus}")
    wanted = {name for name in only.split(",") if name}
    found = [path for path in corpus.resolve().iterdir() if path.is_dir()]
    chosen = sorted(path for path in found if not wanted or path.name in wanted)
    if not chosen:
        raise UsageError(f"{corpus} holds no {only or 'repository'}")
    return chosen


def opened(directory: Path, rules: str, cache: Path | None = None) -> Repository:
    """The repository in a folder. `rules` selects as `--select` does; empty is the default run,
    without rules in preview.

    Indexes are kept in `cache`, if one is given. Raises UsageError for a folder without a Python
    file.
    """
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    where = ["--no-cache"] if cache is None else ["--cache-dir", str(cache)]
    select = ["--preview", "--select", rules] if rules else []
    namespace = parser.parse_args([str(directory), *where, *select])
    configuration = Configuration()
    given: Input = read_input(namespace, configuration)
    files = frozenset().union(*(project.reported for project in given.projects))
    return Repository(directory, Checker(namespace, configuration, given), files)


def row(sources: Sources, place: Place) -> int:
    """The row, from 1, in which a place starts."""
    return sources.get(place.path).position(place.start)[0]
