"""Runs the fuzzers for hours: `python -m tests.fuzz --hours 8`.

Totals, the next seeds and the faults that were found are kept in a file, from which the next run
goes on. A fault is told by its kind and seed, by which it can be made again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.choices import Seeded
from tests.fuzz.laws import broken_laws, report, written
from tests.fuzz.mutations import mutated
from tests.fuzz.programs import program

ROOT = Path(__file__).parent.parent.parent
BUDGET = 20.0
"""Seconds of CPU time that one mutated file may take."""


def _program_faults(seed: int, folder: Path) -> Iterator[str]:
    files = written(folder / "program", program(Seeded(seed)))
    yield from broken_laws(folder / "program", files, folder / "cache")


def _mutant_faults(seed: int, folder: Path) -> Iterator[str]:
    choices = Seeded(seed)
    path = choices.one_of(SOURCES)
    text = mutated(path.read_text("utf-8", "surrogateescape"), choices)
    begun = time.process_time()
    report(folder, written(folder, {"main.py": text}))
    spent = time.process_time() - begun
    if spent > BUDGET:
        yield f"{path.name}: {spent:.0f} seconds"


SOURCES: list[Path] = []
KINDS: dict[str, Callable[[int, Path], Iterator[str]]] = {
    "programs": _program_faults,
    "mutants": _mutant_faults,
}


def main(argv: list[str]) -> int:
    """Run until the time is over. Returns 1 when the file of totals holds a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--totals", type=Path, default=Path("fuzz-totals.json"))
    parser.add_argument("--sources", type=Path, nargs="+", default=[ROOT / "dlint", ROOT / "docs"])
    namespace = parser.parse_args(argv)
    SOURCES.extend(sorted(p for folder in namespace.sources for p in folder.rglob("*.py")))
    totals = _read(namespace.totals)
    end = time.monotonic() + namespace.hours * 3600
    while time.monotonic() < end:
        for kind in namespace.kinds:
            _one(kind, totals.setdefault(kind, {"next": 0, "faults": {}}))
        namespace.totals.write_text(json.dumps(totals, indent=1) + "\n", "utf-8")
    for kind, total in totals.items():
        sys.stdout.write(f"{kind}: {total['next']} run, {len(total['faults'])} faults\n")
    return int(any(total["faults"] for total in totals.values()))


def _read(path: Path) -> dict[str, Any]:
    totals: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return totals


def _one(kind: str, total: dict[str, Any]) -> None:
    seed = total["next"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            faults = list(KINDS[kind](seed, Path(folder)))
        except Exception as error:
            faults = [f"{error!r} from {error.__cause__!r}"]
    total["next"] = seed + 1
    if faults:
        total["faults"][str(seed)] = faults
        sys.stderr.write(f"{kind} {seed}: {'; '.join(faults)}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
