"""Faults put into one repository, one at a time, and what dlint says of each."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError
from dlint.workspace.test_files import holds_no_test, is_test
from tests.tools.inject import arguments, datasets, epochs
from tests.tools.inject.faults import Fault, Kind, Rows
from tests.tools.inject.files import File
from tests.tools.inject.loops import Reading
from tests.tools.inject.names import Names
from tests.tools.repositories import Repository, opened, row

KINDS = (
    Kind("pin_memory", "missing-pin-memory", arguments.unpinned),
    Kind("non_blocking", "missing-non-blocking", arguments.blocking),
    Kind("set_epoch", "missing-set-epoch", epochs.unset_epoch),
    Kind("shuffle", "shuffle-with-sampler", arguments.shuffled),
    Kind("sharing_strategy", "late-sharing-strategy", epochs.late_strategy),
    Kind("eager_load", "eager-load-in-init", datasets.eager),
)
"""The ways to spoil a program."""

_WORDS = ("DataLoader", "loader", "set_epoch", "Dataset")
"""Files without any of them are not read."""


@dataclass(slots=True)
class Count:
    """What became of one kind of fault in one repository."""

    considered: int = 0
    must_be_reported: int = 0
    tried: int = 0
    reported: int = 0
    loud: int = 0
    """Tried where the original is reported already; these are not counted as reported."""
    missed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """How many faults are put in, and which."""

    kinds: Sequence[str]
    seed: int
    most: int
    """Faults of one kind in one repository."""
    slow_s: float
    """Repositories whose analysis takes longer are left out."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one repository."""

    seconds: float
    """CPU time of the original's analysis."""
    counts: dict[str, Count]


def trial(plan: Plan, directory: Path) -> Trial:
    """Put faults into one repository; nothing is tried in one that is too slow.

    Raises UsageError for a folder without a Python file.
    """
    with TemporaryDirectory() as cache:
        return _trial(plan, directory, Path(cache))


def _trial(plan: Plan, directory: Path, cache: Path) -> Trial:
    repository = opened(directory, "ALL", cache)
    sources = Sources()
    start = time.process_time()
    original = repository.findings(sources)
    seconds = time.process_time() - start
    counts: dict[str, Count] = {}
    if seconds <= plan.slow_s:
        reading = Reading(Names(_files(repository, sources)))
        for kind in KINDS:
            if kind.name in plan.kinds:
                found = list(kind.find(reading))
                own = opened(directory, kind.rule, cache)
                counts[kind.name] = _tried(plan, own, kind, found, original, sources)
    return Trial(seconds, counts)


def _files(repository: Repository, sources: Sources) -> Iterator[File]:
    """The files that may matter, tests left out."""
    for path in sorted(repository.files):
        if is_test(repository.relative(path), lambda path=path: holds_no_test(sources.raw(path))):
            continue
        try:
            source = sources.get(path)
        except UnreadableError:
            continue
        if any(word in source.text for word in _WORDS):
            file = File.parsed(source)
            if file is not None:
                yield file


def _tried(
    plan: Plan,
    repository: Repository,
    kind: Kind,
    faults: list[Fault],
    original: Sequence[Diagnostic],
    sources: Sources,
) -> Count:
    awaited = [fault for fault in faults if fault.must_be_reported]
    chance = random.Random(f"{plan.seed} {repository.directory.name} {kind.name}")
    chosen = chance.sample(awaited, min(len(awaited), plan.most))
    count = Count(len(faults), len(awaited), len(chosen))
    for fault in chosen:
        if _touching(original, kind, fault, fault.expected[1], sources):
            count.loud += 1
            continue
        changed = Source(fault.path, fault.text)
        variant = sources.with_changes({fault.path: changed})
        if _touching(repository.findings(variant), kind, fault, fault.expected[2], variant):
            count.reported += 1
        else:
            place = f"{repository.relative(fault.path)}:{fault.row}"
            count.missed.append(f"{place} ({_relative(repository, fault.evidence)})")
    return count


def _relative(repository: Repository, evidence: str) -> str:
    return evidence.replace(f"{repository.directory}/", "")


def _touching(
    found: Iterable[Diagnostic], kind: Kind, fault: Fault, rows: Rows, sources: Sources
) -> bool:
    """Whether a finding of the right rule, or a place it names, lies in the rows."""
    path = fault.expected[0]
    return any(
        place.path == path and _meets(place, rows, sources)
        for diagnostic in found
        if diagnostic.name == kind.rule
        for place in (diagnostic.place, *(related.place for related in diagnostic.related))
    )


def _meets(place: Place, rows: Rows, sources: Sources) -> bool:
    end = sources.get(place.path).position(place.end)[0]
    return row(sources, place) <= rows[1] and rows[0] <= end
