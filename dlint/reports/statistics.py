"""How often each rule was found, instead of the findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from dlint.findings.diagnostic import Diagnostic
from dlint.reports.view import View


def render(view: View, diagnostics: Sequence[Diagnostic], as_json: bool) -> str:
    """One row for each rule, the most frequent first: count, code, fixable (`[*]`), name."""
    groups: defaultdict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for diagnostic in diagnostics:
        groups[diagnostic.code, diagnostic.name].append(diagnostic)
    rows = [
        (len(found), code, name, sum(view.is_fixable(d) for d in found))
        for (code, name), found in groups.items()
    ]
    rows.sort(key=lambda row: (-row[0], row[1]))
    return _json(rows) if as_json else _table(rows)


def _table(rows: Sequence[tuple[int, str, str, int]]) -> str:
    width = len(str(rows[0][0])) if rows else 0
    marks = {True: "[*]", False: "[-]"}
    return "".join(
        f"{count:>{width}}  {code}  {marks[fixable == count] if fixable else '[ ]'}  {name}\n"
        for count, code, name, fixable in rows
    )


def _json(rows: Sequence[tuple[int, str, str, int]]) -> str:
    import json

    keys = "count", "code", "name", "fixable"
    return json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2) + "\n"
