"""Run dlint over every repository of a folder and keep findings, times, crashes and notes."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from tests.tools import repositories, workers
from tests.tools.repositories import Repository, row

_SLOWEST = 10
_TRACEBACK_ROWS = 8
_USUAL = "files checked"
"""What the note says that every run gives."""

_NOTHING: dict[str, Any] = {"files": 0, "wall_seconds": 0.0, "notes": [], "findings": []}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `corpus`."""
    parser.add_argument("corpus", type=Path, help="a folder that holds one folder a repository")
    parser.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument(
        "--select", default="ALL", help="rules as for `dlint check`; empty for a default run"
    )
    add_common(parser, limit_s=300.0)


def add_common(parser: argparse.ArgumentParser, limit_s: float) -> None:
    """Arguments of every command that goes through a corpus."""
    parser.add_argument("--only", default="", help="names of repositories, separated by commas")
    parser.add_argument("--processes", type=int, default=2, help="default: %(default)s")
    parser.add_argument(
        "--limit", type=float, default=limit_s, help="seconds a repository (default: %(default)s)"
    )


def run(namespace: argparse.Namespace) -> int:
    """Check all repositories. Returns 1 when any crashed or took too long."""
    paths = repositories.directories(namespace.corpus, namespace.only)
    task = partial(_checked, namespace.select)
    results = []
    for done in workers.each(task, paths, namespace.processes, namespace.limit):
        results.append(_record(done))
        sys.stderr.write(_progress(results[-1]))
    results.sort(key=lambda record: str(record["repository"]))
    document = {"corpus": str(namespace.corpus.resolve()), "repositories": results}
    namespace.output.write_text(json.dumps(document, indent=1), "utf-8")
    sys.stdout.write(summary(results))
    return int(any(record["problem"] for record in results))


def written(path: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The corpus and the record of each repository that a run wrote. Raises UsageError."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return Path(document["corpus"]), document["repositories"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} holds no findings: {error!r}") from error


def summary(results: list[dict[str, Any]]) -> str:
    """The outcome as text: totals, findings by rule, problems, notes, the slowest."""
    findings = Counter(f["rule"] for record in results for f in record["findings"])
    problems = [record for record in results if record["problem"]]
    files = sum(record["files"] for record in results)
    lines = [f"{len(results)} repositories, {files} files, {len(problems)} with a problem"]
    lines += [f"  {rule}: {count}" for rule, count in sorted(findings.items())]
    for record in problems:
        tail = record["problem"].splitlines()[-_TRACEBACK_ROWS:]
        lines += [f"problem in {record['repository']}:", *tail]
    lines += [
        f"note on {record['repository']}: {note}"
        for record in results
        for note in record["notes"]
        if _USUAL not in note
    ]
    slowest = sorted(results, key=lambda record: -record["cpu_seconds"])[:_SLOWEST]
    lines += ["slowest (CPU seconds):"]
    lines += [f"  {r['cpu_seconds']:7.1f}  {r['repository']}" for r in slowest]
    return "\n".join(lines) + "\n"


def _checked(rules: str, directory: Path) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        repository = repositories.opened(directory, rules)
    except UsageError as error:
        return {**_NOTHING, "notes": [str(error)]}
    sources = Sources()
    found = repository.findings(sources)
    return {
        "files": len(repository.files),
        "wall_seconds": time.perf_counter() - started,
        "notes": repository.checker.notes,
        "findings": [_finding(repository, sources, diagnostic) for diagnostic in found],
    }


def _finding(repository: Repository, sources: Sources, diagnostic: Diagnostic) -> dict[str, Any]:
    fix = diagnostic.fix
    return {
        "rule": diagnostic.name,
        "severity": diagnostic.severity.value,
        "path": repository.relative(diagnostic.place.path),
        "line": row(sources, diagnostic.place),
        "message": diagnostic.message,
        "fix": None if fix is None else fix.applicability.value,
        "related": [
            {
                "path": repository.relative(related.place.path),
                "line": row(sources, related.place),
                "message": related.message,
            }
            for related in diagnostic.related
        ],
    }


def _record(done: workers.Done[Path, dict[str, Any]]) -> dict[str, Any]:
    head = {"repository": done.item.name, "problem": done.problem, "cpu_seconds": done.cpu_seconds}
    return {**head, **(done.answer or _NOTHING)}


def _progress(record: dict[str, Any]) -> str:
    state = record["problem"].splitlines()[-1] if record["problem"] else "done"
    count = len(record["findings"])
    return f"{record['repository']}: {state}, {count} findings, {record['cpu_seconds']:.1f} s\n"
