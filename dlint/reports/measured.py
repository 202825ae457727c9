"""What `dlint verify` measured of findings, as it is kept in a project.

Each result is a small file below `.dlint/measured`, so that a check that shows findings beside
them has little to read.
"""

from __future__ import annotations

import json
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from dlint.findings.controls import in_one_line

FOLDER = Path(".dlint") / "measured"
SCHEMA = 1
GAINED = {
    "seconds an epoch": "an epoch",
    "seconds a step": "a step",
    "seconds to the first batch": "the start",
    "bytes of all processes": "memory",
}
"""What gets faster, or smaller, by what a fix was judged by."""
_MOST = 3
"""Results that are shown of one finding."""

_MOST_FILES, _MOST_BYTES, _LONGEST = 10_000, 100_000, 200
"""Of the files of a folder, the bytes of each, and the characters of its texts."""
_TEXTS = ("rule", "fix", "verdict", "program", "machine", "torch", "when")
_NUMBERS = ("speedup", "low", "high", "step")

_LABELS = {
    "confirmed": "the fix pays",
    "no-effect": "the fix has no effect",
    "inconclusive": "no verdict",
    "slower": "slower with the fix",
    "changes-results": "the fix changes results",
    "mends-crash": "a crash is fixed",
    "mends-fault": "the fault is fixed",
    "needs-gpu": "the fix needs a GPU",
    "failed": "the script fails with the fix",
}


class Measurement(NamedTuple):
    """One result."""

    rule: str
    fix: str
    """What was tried: the rule's name, behind it in brackets what a trial sets."""
    verdict: str
    program: str
    machine: str
    """The GPU, else the CPU."""
    torch: str
    when: str
    """The day."""
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    observable: str | None = None
    step: float | None = None
    """The speedup of a step, where something else was judged."""
    places: tuple[tuple[str, str], ...] = ()
    """The files of the findings below the project, and the texts of their rows."""

    def in_words(self) -> str:
        """What is shown beside a finding."""
        label = _LABELS.get(self.verdict, self.verdict)
        trial = self.fix.removeprefix(self.rule).strip(" ()")
        parts = [f"{trial}: {label}" if trial else label]
        if self.speedup is not None and self.low is not None and self.high is not None:
            gained = f"{GAINED.get(self.observable or '', '')} {self.speedup:.2f}x".strip()
            parts.append(f"{gained} ({self.low:.2f}..{self.high:.2f})")
            parts += [] if self.step is None else [f"a step {self.step:.2f}x"]
        where = f"{self.program} on {self.machine}, torch {self.torch}, {self.when[:10]}"
        return f"{', '.join(parts)}; {where}"


class Measurements:
    """The results kept in the projects that files lie in."""

    def __init__(self) -> None:
        self._by_folder: dict[Path, tuple[Path, tuple[Measurement, ...]]] = {}

    def of(self, rule: str, path: str, line: str) -> list[Measurement]:
        """The latest results of a finding: each thing that was tried, once for each machine.

        They hold as long as the row of the finding is the one that was measured.
        """
        root, kept = self._kept(Path(path).parent)
        if not kept:
            return []
        place = Path(path).relative_to(root).as_posix(), line.strip()
        latest: dict[tuple[str, str], Measurement] = {}
        for found in kept:
            if found.rule == rule and place in found.places:
                latest[found.fix, found.machine] = found
        return list(latest.values())[-_MOST:]

    def _kept(self, folder: Path) -> tuple[Path, tuple[Measurement, ...]]:
        if folder not in self._by_folder:
            here = folder / FOLDER
            if here.is_dir():
                self._by_folder[folder] = folder, _read(here)
            elif folder.parent == folder:
                self._by_folder[folder] = folder, ()
            else:
                self._by_folder[folder] = self._kept(folder.parent)
        return self._by_folder[folder]


def _read(folder: Path) -> tuple[Measurement, ...]:
    """The results of a folder, the oldest first; what cannot be read is left out.

    The folder may have come with the project: nothing is taken for what it does not look like.
    """
    found: list[Measurement] = []
    for path in islice(folder.glob("*.json"), _MOST_FILES):
        try:
            if path.is_file() and path.stat().st_size < _MOST_BYTES:
                found.append(_measurement(json.loads(path.read_text("utf-8"))))
        except (OSError, ArithmeticError, ValueError, LookupError, TypeError, RecursionError):
            continue
    return tuple(sorted(found, key=lambda measurement: measurement.when))


def _measurement(document: dict[str, Any]) -> Measurement:
    """Raises what `_read` leaves out for what is none."""
    if document["schema"] != SCHEMA:
        raise ValueError(document["schema"])
    facts: dict[str, Any] = {name: _line(document[name]) for name in _TEXTS}
    facts |= {name: _number(document.get(name)) for name in _NUMBERS}
    observable = document.get("observable")
    facts["observable"] = None if observable is None else _line(observable)
    facts["places"] = tuple((str(name), str(line)) for name, line in document["places"])
    return Measurement(**facts)


def _line(value: object) -> str:
    """A text as part of a line. Raises TypeError for what is none."""
    if not isinstance(value, str):
        raise TypeError(value)
    return in_one_line(value[:_LONGEST])


def _number(value: object) -> float | None:
    """Raises TypeError for what is no number, and OverflowError or ValueError for no finite one."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    if not isfinite(value):
        raise ValueError(value)
    return float(value)


def write(folder: Path, name: str, measurement: Measurement) -> None:
    """Keep a result in a file of its own. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"schema": SCHEMA, **measurement._asdict()})
    (folder / f"{name}.json").write_text(text, "utf-8")
