"""What may differ, and why (`exceptions.toml`); what differs by a fault (`known_failures.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tests.laws.meaning import Outcome
from tests.laws.subject import CRASH

_FOLDER = Path(__file__).parent
Pair = tuple[str, str]
"""A case and a rewriting."""


@cache
def exceptions() -> dict[Pair, str]:
    """The reason why a rewriting may change what a rule says, by rule and rewriting."""
    document = tomllib.loads((_FOLDER / "exceptions.toml").read_text("utf-8"))
    return {
        (rule, rewriting): one["reason"]
        for one in document["exception"]
        for rule in one["rules"]
        for rewriting in one["rewritings"]
    }


def is_excepted(outcome: Outcome) -> bool:
    """Whether all that differs is in the table; no table allows for a rule to crash."""
    return outcome.state not in ("unsound", CRASH) and all(
        any(rule == r and fnmatchcase(outcome.rewriting, pattern) for r, pattern in exceptions())
        for rule in outcome.rules
    )


def known_failures() -> frozenset[Pair]:
    """The pairs that are known to differ although they should not."""
    document = tomllib.loads((_FOLDER / "known_failures.toml").read_text("utf-8"))
    return frozenset((case, rewriting) for rewriting, names in document.items() for case in names)


class Verdicts:
    """Outcomes against the tables."""

    def __init__(self, found: Iterable[Outcome], known: frozenset[Pair]) -> None:
        every = list(found)
        differ = [o for o in every if o.state != "agree"]
        self.excepted = [o for o in differ if is_excepted(o)]
        self.faults = [o for o in differ if not is_excepted(o)]
        self.known = [o for o in self.faults if (o.case, o.rewriting) in known]
        self.unexpected = [o for o in self.faults if (o.case, o.rewriting) not in known]
        failing = {(o.case, o.rewriting) for o in self.faults}
        tried = {(o.case, o.rewriting) for o in every}
        self.stale = sorted((known & tried) - failing)


def write_known(verdicts: Verdicts) -> None:
    """Write the faults as the known ones."""
    by_rewriting: dict[str, list[str]] = {}
    for outcome in verdicts.faults:
        by_rewriting.setdefault(outcome.rewriting, []).append(outcome.case)
    lines = ["# Written by `python -m tests.laws --write-known`. It may only become shorter."]
    for rewriting, names in sorted(by_rewriting.items()):
        lines += ["", f"{rewriting} = ["]
        lines += [f'  "{name}",' for name in sorted(names)]
        lines.append("]")
    (_FOLDER / "known_failures.toml").write_text("\n".join(lines) + "\n", "utf-8")
