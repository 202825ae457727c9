"""The mistakes of real bug reports in other words, each with a mended twin, and what dlint says.

A file under `tests/data/wild/` holds the variants of one rule:

    === 003 info: parts by a method of a base class
    @@ data.py
    for path in self.files[rank::world]:  # !
    -    yield open(path)
    +    yield from even(path)

`003` is the report that the cause is taken from; `info` or `default` is how the finding is to be
shown, at the latest; further rules that may say it stand behind a `|`. Lines that begin with `-`
are those of the wrong program alone, with `+` those of its twin, all others are in both. `# !` ends
the lines where the finding may stand. A variant that dlint does not say begins with `==? `.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import dlint

FOLDER = Path(__file__).parent.parent / "data" / "wild"
_HEAD = re.compile(r"==([=?]) (\d{3}) (default|info): ([^|\n]+?)(?: \| ([a-z, -]+))?\n")
_NEAR = 3
"""Lines that a finding may stand beside the mark."""


class Variant(NamedTuple):
    """One mistake in other words."""

    rules: frozenset[str]
    report: str
    level: str
    title: str
    is_known_miss: bool
    text: str
    path: Path

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.report}-{self.title}"

    def files(self, *, twin: bool) -> dict[str, str]:
        """The wrong program, or its twin, by the names of the files."""
        other = "-" if twin else "+"
        found: dict[str, list[str]] = {}
        for line in self.text.splitlines():
            if line.startswith("@@ "):
                found[line[3:]] = lines = []
            elif not line.startswith(other):
                lines.append(line[1:] if line[:1] in {"-", "+"} else line)
        return {name: "\n".join(lines).strip("\n") + "\n" for name, lines in found.items()}

    def write_known(self, *, is_miss: bool) -> None:
        """Say in its file whether it is missed."""
        tail = f"{self.report} {self.level}: {self.title}"
        text = self.path.read_text("utf-8")
        old, new = (f"==? {tail}", f"=== {tail}")[:: 1 if self.is_known_miss else -1]
        if is_miss != self.is_known_miss:
            self.path.write_text(text.replace(old, new), "utf-8")


class Outcome(NamedTuple):
    """What dlint says of a variant and of its twin."""

    is_said: bool
    by_default: bool
    instead: list[str]
    """What else it says by default."""
    twin: list[dlint.Finding]
    """What it says of the twin, where this rule says it, or calls it an error."""


def variants(folder: Path = FOLDER) -> Iterator[Variant]:
    """All of them, by files."""
    for path in sorted(folder.glob("*.txt")):
        parts = _HEAD.split(path.read_text("utf-8"))
        assert not parts[0].strip(), f"{path}: something stands before the first variant"
        for at in range(1, len(parts), 6):
            mark, report, level, title, more, text = parts[at : at + 6]
            rules = {path.stem, *filter(None, re.split("[, ]+", more or ""))}
            yield Variant(frozenset(rules), report, level, title, mark == "?", text, path)


def outcome(variant: Variant, folder: Path) -> Outcome:
    """Check both programs, each in a folder of its own."""
    wrong, twin = (_found(variant, folder / name, name == "twin") for name in ("wrong", "twin"))
    hits = [finding for finding in wrong if _is_hit(variant, finding, folder / "wrong")]
    shown = [finding for finding in hits if finding.severity != "info"]
    false = [f for f in twin if f.rule in variant.rules or f.severity == "error"]
    instead = [f"{f.rule}:{f.location.line}" for f in wrong if f not in hits]
    return Outcome(bool(shown or (variant.level == "info" and hits)), bool(shown), instead, false)


def _found(variant: Variant, folder: Path, twin: bool) -> list[dlint.Finding]:
    for name, text in variant.files(twin=twin).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    settings = dlint.Settings(select=["ALL"], preview=True, no_cache=True)
    report = dlint.check(folder, settings)
    assert not report.crashes, f"{variant}: {report.crashes}"
    return list(report.findings)


def _is_hit(variant: Variant, finding: dlint.Finding, folder: Path) -> bool:
    places = [finding.location, *(one.location for one in finding.related)]
    return finding.rule in variant.rules and any(_is_marked(one, folder) for one in places)


def _is_marked(place: dlint.Location, folder: Path) -> bool:
    rows = place.path.read_text("utf-8").splitlines()
    near = rows[max(place.line - 1 - _NEAR, 0) : place.end_line + _NEAR]
    return any(row.endswith("# !") for row in near)
