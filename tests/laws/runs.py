"""The law: one run says the same as another.

Any order of the files, another hash seed, with a cache (cold and warm) or none, one file or all,
on disk or open in an editor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path

from tests.laws.cases import Case, cases
from tests.laws.subject import ROOT, Finding, findings_in, is_read, write

Broken = tuple[str, str]
"""A case and the way of running that says something else."""

KNOWN: frozenset[Broken] = frozenset()
"""Faults that are known."""


def disagreements(case: Case) -> list[Broken]:
    """The ways of running a case in this process that give other findings than the plain one."""
    with tempfile.TemporaryDirectory(prefix="laws-") as name:
        folder, cache = Path(name, "project"), Path(name, "cache")
        write(folder, case.files)
        whole = findings_in(folder)
        ways = {
            "files the other way round": (findings_in(folder, order=-1), whole),
            "cold cache": (findings_in(folder, cache=cache), whole),
            "warm cache": (findings_in(folder, cache=cache), whole),
        }
        for path in filter(is_read, case.files) if len(case.files) > 1 else ():
            alone = findings_in(folder, reported=(path,))
            ways[f"only {path}"] = (alone, tuple(f for f in whole if f.path == path))
            shown = findings_in(folder, reported=(path,), is_open=True)
            ways[f"only {path}, which is open"] = (shown, alone)
        return [(case.name, way) for way, (now, then) in ways.items() if now != then]


def seeded(chosen: list[Case], seed: int) -> dict[str, list[Finding]]:
    """The findings of cases in a process of its own with a hash seed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.laws.seeded"],
        input=json.dumps([[case.name, dict(case.files)] for case in chosen]),
        env=os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)
    return {name: [Finding(*one) for one in every] for name, every in found.items()}


def differing_by_seed(chosen: list[Case]) -> list[Broken]:
    """The cases whose findings differ from one hash seed to another."""
    first, second = seeded(chosen, 1), seeded(chosen, 4242)
    return [(name, "hash seed") for name in first if first[name] != second[name]]


def broken(chosen: list[Case], jobs: int) -> Iterator[Broken]:
    """Every run that says something else."""
    with Pool(jobs) as pool:
        for found in pool.imap(disagreements, chosen, chunksize=8):
            yield from found
    yield from differing_by_seed(chosen)


def main(only: str, jobs: int) -> int:
    """Try all cases; 1 if one differs, or if a known fault is gone."""
    chosen = [case for case in cases() if only in case.name]
    found = set(broken(chosen, jobs))
    known = {one for one in KNOWN if one[0] in {case.name for case in chosen}}
    for case, way in sorted(found):
        print(f"{case}: {way}{' (known)' if (case, way) in known else ''}")
    for case, way in sorted(known - found):
        print(f"{case}: {way}: no failure any more")
    print(f"{len(chosen)} programs, {len(found)} runs say something else")
    return int(found != known)
