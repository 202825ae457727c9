"""The findings that `dlint verify` tries: those in the script and in what it imports."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from dlint.cli.checker import Checker, read_input
from dlint.semantics.names.import_graph import imported
from dlint.verify.plan.candidates import Candidate, NotTried, candidates
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Configuration
from dlint.workspace.spelling import spelled


class Found(NamedTuple):
    """What the check of a script says."""

    candidates: list[Candidate]
    not_tried: list[NotTried]
    sources: Sources
    root: Path
    """The project's."""
    files: int
    """How many files were looked at."""


def find(script: Path, select: list[str] | None, ignore: list[str] | None) -> Found:
    """Check a script and the modules of its project that it imports; without a selection, with
    all rules, since what is only worth measuring is measured here."""
    configuration = Configuration()
    namespace = reading([str(script)], select, ignore)
    (project,) = read_input(namespace, configuration).projects
    paths = sorted(imported(spelled(script), project.files))
    namespace = reading(paths, select, ignore)
    given = read_input(namespace, configuration)
    sources = Sources(given.overrides)
    found = Checker(namespace, configuration, given, as_found=True).analyse(sources)
    tried, left = candidates(found, sources)
    return Found(tried, left, sources, project.root, len(paths))


def reading(
    paths: list[str], select: list[str] | None = None, ignore: list[str] | None = None
) -> argparse.Namespace:
    """What `dlint check` takes for some files."""
    return argparse.Namespace(
        paths=paths,
        select=["ALL"] if select is None else select,
        extend_select=None,
        ignore=ignore,
        preview=None,
        exclude=None,
        respect_gitignore=None,
        force_exclude=None,
        stdin_filename=None,
        no_cache=True,
        cache_dir=None,
    )
