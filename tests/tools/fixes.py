"""Fix copies of repositories as a user does, and check what that changed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from dlint.workspace import kinds
from dlint.workspace.errors import UsageError
from dlint.workspace.roots import MARKERS
from tests.tools import git, naming, repositories, workers
from tests.tools.corpus import add_common
from tests.tools.documents import document_faults, is_right

_CRASHED = 2
_FIXING = ("--fix", "--unsafe-fixes")
_TAIL = 1500
_UNTOUCHED: dict[str, Any] = {"fixed": 0, "left": 0, "files": 0, "rows": 0, "problems": []}
_PACKAGE = Path(__file__).parent.parent.parent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `fixes`."""
    parser.add_argument("corpus", type=Path, help="a folder that holds one folder a repository")
    parser.add_argument("--output", type=Path, help="a JSON file to write")
    parser.add_argument("--select", default="ALL", help="rules as for `dlint check`")
    parser.add_argument("--keep", type=Path, help="a folder for the fixed copies, kept")
    add_common(parser, limit_s=600.0)


def run(namespace: argparse.Namespace) -> int:
    """Fix copies of all repositories. Returns 1 when something is wrong with any of them."""
    paths = repositories.directories(namespace.corpus, namespace.only)
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = namespace.keep or Path(temporary)
        task = partial(_fixed, namespace.select, folder)
        for done in workers.each(task, paths, namespace.processes, namespace.limit):
            record = done.answer or _UNTOUCHED
            problems = [*record["problems"], *([done.problem] if done.problem else [])]
            results.append({"repository": done.item.name, **record, "problems": problems})
            sys.stderr.write(_line(results[-1]))
    results.sort(key=lambda record: str(record["repository"]))
    if namespace.output is not None:
        namespace.output.write_text(json.dumps(results, indent=1), "utf-8")
    sys.stdout.write(table(results))
    return int(any(record["problems"] for record in results))


def table(results: list[dict[str, Any]]) -> str:
    """The outcome as text: one line a repository that changed or has problems, then totals."""
    shown = [record for record in results if record["files"] or record["problems"]]
    lines = [f"{'repository':44} {'fixed':>6} {'files':>6} {'rows':>6}  problems\n"]
    lines += [_line(record) for record in shown]
    for record in shown:
        lines += [f"{record['repository']}: {problem}\n" for problem in record["problems"]]
    totals = {key: sum(r[key] for r in results) for key in ("fixed", "files", "rows")}
    wrong = sum(1 for record in results if record["problems"])
    lines.append(
        f"{len(results)} repositories: {totals['fixed']} findings fixed, {totals['files']} files "
        f"and {totals['rows']} rows changed, {wrong} repositories with a problem\n"
    )
    return "".join(lines)


def _line(record: dict[str, Any]) -> str:
    counts = " ".join(f"{record[key]:6}" for key in ("fixed", "files", "rows"))
    return f"{record['repository']:44} {counts}  {len(record['problems']) or ''}".rstrip() + "\n"


def _fixed(rules: str, folder: Path, original: Path) -> dict[str, Any]:
    """Fix a copy of one repository; what changed and what is wrong with that."""
    copy = folder / original.name
    copy_sources(original, copy)
    try:
        repository = repositories.opened(copy, rules)
    except UsageError:
        return _UNTOUCHED
    git.begin(copy)
    before = len(_fixable(copy, rules))
    named = naming.named_rows(repository)
    problems = _fix(copy, rules)
    changed = git.changes(copy)
    for name, change in changed.items():
        problems += faults(original / name, copy / name, change, named.get(str(copy / name)))
    problems += [f"{name} is new or gone" for name in git.strangers(copy)]
    left = len(_fixable(copy, rules))
    problems += _fix(copy, rules)
    if git.changes(copy) != changed:
        problems.append("a second run changes something")
    rows = sum(len(c.removed) + len(c.inserted_after) for c in changed.values())
    counts = {"fixed": before - left, "left": left, "files": len(changed), "rows": rows}
    return {**counts, "problems": problems}


def copy_sources(original: Path, copy: Path) -> None:
    """Copy the files of a repository that are read, and what marks projects in it."""
    copy.mkdir(parents=True, exist_ok=True)
    kept = {*MARKERS, ".gitignore"} - {".git"}
    for directory, folders, names in os.walk(original):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(directory, name)
            if (name in kept or _is_read(path)) and path.is_file():
                target = copy / path.relative_to(original)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def _is_read(path: Path) -> bool:
    """Whether a file is of a kind that is read; configs of many bytes are not."""
    name = str(path)
    if not kinds.is_config(name):
        return kinds.kind_of(name) is not None
    return path.is_file() and path.stat().st_size <= kinds.MOST_BYTES


def _fix(copy: Path, rules: str) -> list[str]:
    """Run `dlint check --fix`; what went wrong."""
    done = _dlint(copy, rules, *_FIXING, "--quiet")
    if done.returncode >= _CRASHED:
        return [f"--fix ended with code {done.returncode}: {done.stderr[-_TAIL:]}"]
    return []


def _fixable(copy: Path, rules: str) -> list[dict[str, Any]]:
    """The findings that have a fix `--unsafe-fixes` would apply."""
    done = _dlint(copy, rules, "--output-format", "json")
    if done.returncode >= _CRASHED:
        raise UsageError(f"dlint ended with code {done.returncode}: {done.stderr[-_TAIL:]}")
    found = [f for f in json.loads(done.stdout) if f["fix"] is not None]
    return [f for f in found if f["fix"]["applicability"] in naming.APPLICABLE]


def _dlint(copy: Path, rules: str, *flags: str) -> subprocess.CompletedProcess[str]:
    select = ["--select", rules] if rules else []
    command = [sys.executable, "-m", "dlint", "check", str(copy), "--no-cache", *select, *flags]
    environment = {**os.environ, "PYTHONPATH": str(_PACKAGE)}
    return subprocess.run(command, capture_output=True, text=True, cwd=copy, env=environment)


def faults(before: Path, after: Path, change: git.Changed, named: set[int] | None) -> list[str]:
    """What is wrong with the change of one file."""
    found = []
    if kinds.kind_of(str(after)) != kinds.PYTHON:
        if not is_right(after) and is_right(before):
            found.append(f"{after} is valid no longer")
        found += document_faults(before, after)
    elif not compiles(after) and compiles(before):
        found.append(f"{after} compiles no longer")
    rows = named or set()
    unnamed = sorted(change.removed - rows)
    unnamed += [row for row in change.inserted_after if not rows & {row, row + 1}]
    if unnamed:
        found.append(f"{after} changed in rows that no fix names: {unnamed}")
    return found


def compiles(path: Path) -> bool:
    """Whether Python accepts the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True
