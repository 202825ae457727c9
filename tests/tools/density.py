"""Count findings by 1000 lines of training code, over the repositories of a corpus run.

Training code is a file outside of tests that makes a loader, a sampler or a data set, or takes a
gradient step. Blank lines do not count, and of notebooks only the code does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from dlint.rules import registry
from dlint.workspace import scan
from dlint.workspace.kinds import is_config
from dlint.workspace.reading import Sources
from dlint.workspace.source import UnreadableError
from dlint.workspace.test_files import is_test_of
from tests.tools import repositories
from tests.tools.corpus import written

_STEP = b".backward("
_MOST_SHOWN = 8


class Density(NamedTuple):
    """One repository: its lines of training code, and its findings by rule."""

    repository: str
    lines: int
    shown: Counter[str]
    """Errors and warnings, which a default run shows."""
    every: Counter[str]
    """With what is only worth measuring."""

    def by_thousand(self, found: Counter[str]) -> float:
        """Findings in 1000 lines."""
        return 1000 * found.total() / self.lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `density`."""
    parser.add_argument("findings", type=Path, help="what `corpus` wrote, with all rules")
    parser.add_argument(
        "--least",
        type=int,
        default=500,
        help="lines of training code that a repository must have (default: %(default)s)",
    )


def run(namespace: argparse.Namespace) -> int:
    """Print the distribution. Raises UsageError for a file that no corpus run wrote."""
    corpus, records = written(namespace.findings)
    measured = [_measured(corpus, record) for record in records]
    sys.stdout.write(report([one for one in measured if one.lines >= namespace.least]))
    return 0


def _measured(corpus: Path, record: dict[str, Any]) -> Density:
    name = str(record["repository"])
    found = [f for f in record["findings"] if f["rule"] in registry.CHECKS]
    return Density(
        name,
        training_lines(corpus / name),
        Counter(f["rule"] for f in found if f["severity"] != "info"),
        Counter(f["rule"] for f in found),
    )


def training_lines(directory: Path) -> int:
    """The lines of a repository that make loaders or train."""
    sources, count = Sources(), 0
    for path in map(str, repositories.opened(directory, "").files):
        if is_config(path) or is_test_of(sources, path, str(directory)):
            continue
        try:
            text = sources.get(path).searchable
        except UnreadableError:
            continue
        if scan.is_seed(text) or _STEP in text:
            count += sum(1 for line in text.splitlines() if line.strip())
    return count


def report(found: Sequence[Density]) -> str:
    """The distribution as Markdown, and the repositories with most."""
    lines = [
        f"{len(found)} repositories, {sum(one.lines for one in found)} lines of training code",
        "",
        "| findings in 1000 lines | all | none | median | 90 % | largest |",
        "| --- | --- | --- | --- | --- | --- |",
        _row("errors and warnings", [(one, one.shown) for one in found]),
        _row("with *info*", [(one, one.every) for one in found]),
        "",
        "| repository | lines | errors and warnings | in 1000 lines | most of them |",
        "| --- | --- | --- | --- | --- |",
    ]
    most = sorted(found, key=lambda one: -one.by_thousand(one.shown))[:_MOST_SHOWN]
    return "\n".join([*lines, *map(_largest, most)]) + "\n"


def _row(title: str, found: Sequence[tuple[Density, Counter[str]]]) -> str:
    each = sorted(one.by_thousand(rules) for one, rules in found)
    total = sum(rules.total() for _, rules in found)
    deciles = quantiles(each, n=10, method="inclusive") if len(each) > 1 else each * 9
    none = sum(1 for value in each if value == 0)
    middle, high = deciles[4], deciles[8]
    return f"| {title} | {total} | {none} | {middle:.1f} | {high:.1f} | {each[-1]:.1f} |"


def _largest(one: Density) -> str:
    rules = ", ".join(f"{rule} {count}" for rule, count in one.shown.most_common(3))
    density = one.by_thousand(one.shown)
    return f"| {one.repository} | {one.lines} | {one.shown.total()} | {density:.1f} | {rules} |"
