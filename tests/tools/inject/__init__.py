"""Put faults into real code, one at a time and in memory, and count which are reported.

Which faults must be reported is decided before, by the rules of thumb that the kinds state, on the
standard library's syntax trees and without dlint's evaluator.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from dlint.workspace.errors import UsageError
from tests.tools import repositories, workers
from tests.tools.corpus import add_common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `inject`."""
    parser.add_argument("corpus", type=Path, help="a folder that holds one folder a repository")
    parser.add_argument("--repos", type=int, help="take so many repositories (default: all)")
    parser.add_argument("--seed", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--kinds", default="", help="kinds of fault, separated by commas")
    parser.add_argument(
        "--most", type=int, default=3, help="faults a kind and repository (default: %(default)s)"
    )
    parser.add_argument(
        "--slow", type=float, default=20.0, help="leave out what takes more CPU seconds to check"
    )
    parser.add_argument("--output", type=Path, help="a JSON file to write")
    add_common(parser, limit_s=900.0)


def run(namespace: argparse.Namespace) -> int:
    """Try all repositories and print the table. Returns 0: it measures, it does not judge."""
    from tests.tools.inject.table import table
    from tests.tools.inject.trial import KINDS, Plan

    names = [kind.name for kind in KINDS]
    kinds = [name for name in namespace.kinds.split(",") if name] or names
    if not set(kinds) <= set(names):
        raise UsageError(f"unknown kind among {namespace.kinds}: the kinds are {', '.join(names)}")
    plan = Plan(kinds, namespace.seed, namespace.most, namespace.slow)
    paths = repositories.directories(namespace.corpus, namespace.only)
    random.Random(namespace.seed).shuffle(paths)
    records = []
    task = partial(_tried, plan)
    chosen = paths[: namespace.repos]
    for done in workers.each(task, chosen, namespace.processes, namespace.limit):
        record: dict[str, Any] = done.answer or {"seconds": 0.0, "counts": {}}
        records.append({"repository": done.item.name, "problem": done.problem, **record})
        tried = sum(count["tried"] for count in record["counts"].values())
        sys.stderr.write(f"{done.item.name}: {tried} faults tried, {done.cpu_seconds:.1f} s\n")
    records.sort(key=lambda record: str(record["repository"]))
    if namespace.output is not None:
        namespace.output.write_text(json.dumps(records, indent=1), "utf-8")
    sys.stdout.write(table(records, kinds, namespace.slow))
    return 0


def _tried(plan: Any, directory: Path) -> dict[str, Any]:
    from tests.tools.inject.trial import Trial, trial

    try:
        return asdict(trial(plan, directory))
    except UsageError:
        return asdict(Trial(0.0, {}))
