"""Runs the fuzzers for hours: `python -m tests.fuzz --hours 8`.

Totals, the next seeds and the faults that were found are kept in a file, from which the next run
goes on. A fault is told by its kind and seed, by which it can be made again: `--case KIND SEED`
makes it in a folder that stays, and says which laws it breaks.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.ends import NoEndError, comes_to_an_end
from tests.fuzz.choices import Seeded
from tests.fuzz.kinds import KINDS, SOURCES, small

BUDGET = 60.0
"""Seconds of CPU time that one case may take, however often it is analysed."""

_AT_ONCE = 10


def main(argv: list[str]) -> int:
    """Run until the time is over. Returns 1 when the file of totals holds a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--cases", type=int, default=10**9, help="of each kind, all runs together")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--totals", type=Path, default=Path("fuzz-totals.json"))
    parser.add_argument("--sources", type=Path, nargs="+", default=[], help="files for `mutants`")
    parser.add_argument("--case", nargs=2, metavar=("KIND", "SEED"))
    namespace = parser.parse_args(argv)
    SOURCES.extend(path for folder in namespace.sources for path in small(folder.rglob("*.py")))
    if namespace.case:
        kind, seed = namespace.case
        folder = Path(tempfile.mkdtemp())
        sys.stdout.write(f"{folder}: {_faults(kind, int(seed), folder) or 'no fault'}\n")
        return 0
    totals = _read(namespace.totals)
    end = time.monotonic() + namespace.hours * 3600
    for kind in namespace.kinds:
        totals.setdefault(kind, {"next": 0, "seconds": 0.0, "faults": {}})
    while time.monotonic() < end:
        left = [kind for kind in namespace.kinds if totals[kind]["next"] < namespace.cases]
        if not left:
            break
        _some(min(left, key=lambda kind: totals[kind]["seconds"]), totals, namespace.cases)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        totals["peak MB"] = max(peak, totals.get("peak MB", 0))
        namespace.totals.write_text(json.dumps(totals, indent=1) + "\n", "utf-8")
    for kind in namespace.kinds:
        total = totals[kind]
        sys.stdout.write(f"{kind}: {total['next']} run, {len(total['faults'])} faults\n")
    return int(any(totals[kind]["faults"] for kind in namespace.kinds))


def _read(path: Path) -> dict[str, Any]:
    totals: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return totals


def _some(kind: str, totals: dict[str, Any], most: int) -> None:
    """Some cases of the kind that had the least time so far."""
    for _ in range(min(_AT_ONCE, most - totals[kind]["next"])):
        _one(kind, totals[kind])


def _one(kind: str, total: dict[str, Any]) -> None:
    seed, begun = total["next"], time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        faults = _faults(kind, seed, Path(folder))
    total["next"] = seed + 1
    total["seconds"] = round(total["seconds"] + time.process_time() - begun, 4)
    if faults:
        total["faults"][str(seed)] = faults
        sys.stderr.write(f"{kind} {seed}: {'; '.join(faults)}\n")


def _faults(kind: str, seed: int, folder: Path) -> list[str]:
    try:
        with comes_to_an_end(BUDGET):
            return list(KINDS[kind](Seeded(seed), folder))
    except NoEndError as error:
        return [str(error)]
    except Exception as error:
        return [f"{error!r} from {error.__cause__!r}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
