"""Pairs that are kept from one verification to the next, so that none is measured for nothing."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from dlint.verify.judge.sequence import START
from dlint.verify.judge.statistics import Pair, Start, estimate
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.runner import Run, Variant

FOLDER = Path(".dlint") / "verify" / "pairs"
_SCHEMA = 1
_MACHINE = ("system", "cpu", "gpu", "affinity", "torch", "python", "ranks")
_LATEST = 5
"""Verifications of which it is kept what they need."""
_FEWEST_DEGREES = 4
_MOST_DEGREES = 6.0


class Comparison(NamedTuple):
    """What is kept of one comparison."""

    program: str
    name: str
    """What was tried."""
    unit: str
    """What is compared: seconds of a step, of an epoch, and so on."""
    days: tuple[tuple[str, tuple[Pair, ...]], ...]
    """When, and the pairs that were measured then."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All of them, each day's by its number."""
        return tuple(
            pair._replace(day=number)
            for number, (_, found) in enumerate(self.days)
            for pair in found
        )


class Needs(NamedTuple):
    """What a verification needs, as its looks showed."""

    startup: float
    """Seconds to the first batch."""
    look: float
    """Seconds that a look trained."""
    seconds: float
    """Of everything, with the shortest comparison."""
    budget: float
    """The one that it was given: looks are the longer, the larger it is."""
    is_whole: bool
    """Whether a look came to its end; else it needs more than the budget."""
    when: str = ""

    @property
    def taken(self) -> str:
        """How long it took to the first batch, in words."""
        return f"{'' if self.is_whole else 'more than '}{self.startup:.0f} s"


class Kept:
    """What is kept in a project to go on from: pairs, and how long they take to come by. Without a
    folder nothing is."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: that of the project."""
        self._folder = None if folder is None else folder / FOLDER

    def of(self, key: str, unit: str) -> tuple[Pair, ...]:
        """The pairs of a comparison, of all days."""
        found = self._read(self._path(key, unit))
        return () if found is None else found.pairs

    def start(self) -> Start | None:
        """How far pairs of one comparison lay apart in this project; None where too few were
        measured to say. On a quiet day starts lie closer together than on a busy one: what is
        stated without any history is never lowered by it."""
        total = degrees = 0.0
        for found in self.comparisons():
            for _, pairs in found.days:
                if len(pairs) > 1:
                    own = estimate(pairs, 0.95, 0.03)
                    degrees += len(pairs) - 1
                    total += own.spread**2 * (len(pairs) - 1)
        if degrees < _FEWEST_DEGREES:
            return None
        deviation = max(START, math.sqrt(total / degrees))
        return Start(deviation, min(_MOST_DEGREES, degrees))

    def add(self, key: str, found: Comparison) -> None:
        """Keep the pairs of a day behind those before. What cannot be written is not kept."""
        path = self._path(key, found.unit)
        if path is None or not any(pairs for _, pairs in found.days):
            return
        before = self._read(path)
        days = (*(() if before is None else before.days), *found.days)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _ignored(path.parent.parent.parent)
            text = json.dumps(_document(found._replace(days=days)))
            path.with_suffix(".new").write_text(text, "utf-8")
            path.with_suffix(".new").replace(path)

    def needs(self, key: str) -> Needs | None:
        """What the verification needs that needed least of those that are kept of this key."""
        known = self._all_needs(key)
        return min(known, key=lambda needs: (not needs.is_whole, needs.seconds), default=None)

    def add_needs(self, key: str, found: Needs) -> None:
        """Keep what was needed beside what was before. What cannot be written is not kept."""
        path = self._needs_path(key)
        if path is None:
            return
        known = [*self._all_needs(key), found._replace(when=today())][-_LATEST:]
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _ignored(path.parent.parent.parent)
            document = {"schema": _SCHEMA, "needs": [one._asdict() for one in known]}
            path.with_suffix(".new").write_text(json.dumps(document), "utf-8")
            path.with_suffix(".new").replace(path)

    def _all_needs(self, key: str) -> list[Needs]:
        path = self._needs_path(key)
        with suppress(OSError, ValueError, KeyError, TypeError):
            document = {} if path is None else json.loads(path.read_text("utf-8"))
            if document.get("schema") == _SCHEMA:
                return [_needs(one) for one in document["needs"]]
        return []

    def _needs_path(self, key: str) -> Path | None:
        if self._folder is None:
            return None
        name = hashlib.sha256(key.encode()).hexdigest()[:20]
        return self._folder.parent / "starts" / f"{name}.json"

    def comparisons(self) -> Iterator[Comparison]:
        """Everything that is kept."""
        for path in sorted(self._folder.glob("*.json")) if self._folder is not None else ():
            found = self._read(path)
            if found is not None:
                yield found

    def _path(self, key: str, unit: str) -> Path | None:
        if self._folder is None:
            return None
        name = hashlib.sha256(f"{key}|{unit}".encode()).hexdigest()[:20]
        return self._folder / f"{name}.json"

    def _read(self, path: Path | None) -> Comparison | None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            return None if path is None else _comparison(json.loads(path.read_text("utf-8")))
        return None


def machine_of(facts: Mapping[str, Any]) -> dict[str, str]:
    """The facts of a machine without which numbers do not stand beside each other."""
    return {name: str(facts.get(name)) for name in _MACHINE}


def key_of(
    program: TargetScript, first: Run, sides: tuple[Variant, Variant], machine: Mapping[str, str]
) -> str:
    """What pairs hold for: the command, the texts of both sides, the data, the machine."""
    loader = first.training
    data = None if loader is None else (loader.length, loader.batch_bytes, loader.dataset)
    digests = [digest_of(side, program.script) for side in sides]
    return repr((program.command()[1:], digests, data, sorted(machine.items())))


def digest_of(variant: Variant, script: Path) -> str:
    """What a variant is made of."""
    texts = sorted(variant.edited.items())
    with suppress(OSError):
        texts.append(("", script.read_bytes()))
    given = sorted(variant.settings.items())
    where = () if variant.at is None else (variant.at,)
    found = hashlib.sha256(repr((texts, given, *where)).encode())
    return found.hexdigest()


def today() -> str:
    """The time, as it is kept."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _ignored(folder: Path) -> None:
    """What is kept is no part of the project's repository."""
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")


def _document(found: Comparison) -> dict[str, Any]:
    days = [
        {"when": when, "pairs": [[pair.before, pair.after] for pair in pairs]}
        for when, pairs in found.days
    ]
    return {"schema": _SCHEMA, **found._asdict(), "days": days}


def _comparison(document: dict[str, Any]) -> Comparison:
    if document["schema"] != _SCHEMA:
        raise ValueError(document["schema"])
    days = tuple((str(day["when"]), tuple(map(_pair, day["pairs"]))) for day in document["days"])
    return Comparison(document["program"], document["name"], document["unit"], days)


def _needs(document: dict[str, Any]) -> Needs:
    startup, look, seconds, budget = (float(document[name]) for name in Needs._fields[:4])
    if not all(0 <= number < math.inf for number in (startup, look, seconds, budget)):
        raise ValueError(document)
    is_whole = document["is_whole"] is True
    return Needs(startup, look, seconds, budget, is_whole, str(document["when"]))


def _pair(document: list[list[float]]) -> Pair:
    before, after = (tuple(map(float, side)) for side in document)
    if not before or len(before) != len(after) or min(*before, *after) <= 0:
        raise ValueError(document)
    return Pair(before, after)
