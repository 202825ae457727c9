"""The outcome of a run as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

_COLUMNS = ("considered", "must_be_reported", "tried", "reported", "loud")
_HEADINGS = ("sites", "must", "tried", "reported", "loud")

Record = dict[str, Any]


def table(records: Sequence[Record], kinds: Sequence[str], slow_s: float) -> str:
    """One line a kind with its denominators, then what was missed, left out or went wrong."""
    heading = " ".join(f"{text:>9}" for text in ("repos", *_HEADINGS, "share"))
    lines = [f"{'kind':18}{heading}"]
    lines += [_row(kind, records, [kind]) for kind in kinds]
    lines.append(_row("all", records, kinds))
    lines += [
        "repos: repositories in which a fault of the kind was tried",
        "sites: places considered; must: of these, faults that must be reported by rule of thumb",
        "loud: tried, but the untouched original is reported there already; left out of the share",
    ]
    lines += _missed(records)
    lines += [
        f"left out, slower than {slow_s:g} s: {r['repository']} ({r['seconds']:.1f} s)"
        for r in records
        if r["seconds"] > slow_s
    ]
    for record in records:
        if record["problem"]:
            lines.append(f"problem in {record['repository']}: {record['problem'].splitlines()[-1]}")
    return "\n".join(lines) + "\n"


def _row(name: str, records: Sequence[Record], kinds: Sequence[str]) -> str:
    counts = [r["counts"][kind] for r in records for kind in kinds if kind in r["counts"]]
    totals = {column: sum(count[column] for count in counts) for column in _COLUMNS}
    repositories = sum(
        any(r["counts"].get(kind, {}).get("tried") for kind in kinds) for r in records
    )
    awaited = totals["tried"] - totals["loud"]
    share = f"{totals['reported'] / awaited:9.1%}" if awaited else f"{'-':>9}"
    numbers = " ".join(f"{number:9}" for number in (repositories, *totals.values()))
    return f"{name:18}{numbers} {share}"


def _missed(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        for kind, count in record["counts"].items():
            for missed in count["missed"]:
                yield f"missed {kind}: {record['repository']}/{missed}"
