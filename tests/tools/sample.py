"""Draw findings of a corpus run, over all rules, for people to judge."""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dlint.rules import registry
from dlint.workspace.reading import Sources
from dlint.workspace.source import UnreadableError
from tests.tools.corpus import written

_LEAST = 5
"""Findings drawn of each rule, when there are so many."""
_PER_REPOSITORY = 4
_AROUND = 12
"""Rows shown before and behind a place."""

Finding = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `sample`."""
    parser.add_argument("findings", type=Path, help="what `corpus` wrote")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")


def run(namespace: argparse.Namespace) -> int:
    """Draw and write. Raises UsageError for a file that no corpus run wrote."""
    corpus, records = written(namespace.findings)
    findings = [
        {"repository": record["repository"], **finding}
        for record in records
        for finding in record["findings"]
        if finding["rule"] in registry.CHECKS
    ]
    drawn = draw(findings, namespace.count, random.Random(namespace.seed))
    sources = Sources()
    shown = [_with_code(corpus / finding["repository"], finding, sources) for finding in drawn]
    namespace.output.write_text(json.dumps(shown, indent=1), "utf-8")
    return 0


def draw(findings: Sequence[Finding], count: int, chance: random.Random) -> list[Finding]:
    """At most `count` findings: some of each rule, else in proportion, few of one repository."""
    pools = _pools(findings, chance)
    shares = shares_of({rule: len(pool) for rule, pool in pools.items()}, count)
    drawn = [finding for rule, pool in pools.items() for finding in pool[: shares[rule]]]
    return sorted(drawn, key=lambda f: (f["rule"], f["repository"], f["path"], f["line"]))


def shares_of(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """How many of each rule: a few of all, the rest in proportion to what is left."""
    shares = {rule: min(size, _LEAST) for rule, size in sizes.items()}
    while sum(shares.values()) < count:
        open_rules = [rule for rule, size in sizes.items() if shares[rule] < size]
        if not open_rules:
            break
        furthest = min(open_rules, key=lambda rule: (shares[rule] / sizes[rule], rule))
        shares[furthest] += 1
    return shares


def _pools(findings: Sequence[Finding], chance: random.Random) -> dict[str, list[Finding]]:
    """The findings of each rule in an order of chance, thinned by repository."""
    grouped: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        grouped[finding["rule"], finding["repository"]].append(finding)
    pools: dict[str, list[Finding]] = defaultdict(list)
    for (rule, _), group in sorted(grouped.items()):
        pools[rule] += chance.sample(group, min(len(group), _PER_REPOSITORY))
    for pool in pools.values():
        chance.shuffle(pool)
    return dict(sorted(pools.items()))


def _with_code(repository: Path, finding: Finding, sources: Sources) -> Finding:
    related = [
        {**place, "code": _excerpt(repository / place["path"], place["line"], sources)}
        for place in finding["related"]
    ]
    code = _excerpt(repository / finding["path"], finding["line"], sources)
    return {**finding, "related": related, "code": code}


def _excerpt(path: Path, line: int, sources: Sources) -> list[str]:
    """The rows around a line, numbered, the line itself marked."""
    try:
        source = sources.get(str(path))
    except UnreadableError:
        return []
    rows = range(max(1, line - _AROUND), min(source.row_count, line + _AROUND) + 1)
    return [f"{'>' if row == line else ' '}{row:5} {source.line(row)}" for row in rows]
