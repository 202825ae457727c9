"""What tuning came to, in words and rows that all formats share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dlint.verify.judge.tuned import Fate, Tried, Tuning
from dlint.verify.plan.candidates import Spot
from dlint.verify.report import words

COLUMNS = ("setting", "foreseen a batch", "memory", "came to")
_MIB = 2**20


def rows(tuning: Tuning) -> Iterator[tuple[str, ...]]:
    """A row for each setting."""
    for tried in tuning.tried:
        memory = f"{tried.memory / _MIB:.0f} MiB" if tried.memory else ""
        yield (given(tried.settings), _seconds(tried.seconds), memory, fate(tried))


def given(settings: Mapping[str, Any]) -> str:
    """Settings as they are written."""
    return ", ".join(f"{name}={value!r}" for name, value in settings.items())


def fate(tried: Tried) -> str:
    """What became of a setting."""
    if tried.fate is Fate.LOST:
        if tried.ratio is None:
            return f"no time to meet {tried.against}, which promises as much"
        return f"{tried.ratio:.2f}x of {tried.against}"
    if tried.fate is Fate.WON:
        return "the best; compared with the present one"
    if tried.fate is Fate.PRESENT:
        return "the present one"
    return f"{tried.fate.value}: {tried.why}"


def advice(tuning: Tuning) -> str:
    """What to do."""
    where = "" if tuning.place is None else f" at {words.place(Spot(*tuning.place, ''))}"
    if tuning.recommended is None:
        return f"the loader{where} keeps its settings: {tuning.why}"
    return f"recommended for the loader{where}: {given(tuning.recommended)}"


def data(tuning: Tuning) -> dict[str, Any]:
    """All of it as plain values."""
    path, row = tuning.place or (None, None)
    return {
        "filename": path,
        "row": row,
        "memory_limit": tuning.memory_limit,
        "recommended": None if tuning.recommended is None else dict(tuning.recommended),
        "why": tuning.why,
        "tried": [_tried(tried) for tried in tuning.tried],
        "ideas": list(tuning.ideas),
        "answer": tuning.answer,
        "ceiling": tuning.ceiling,
        "written": list(tuning.written),
        "examined": dict(tuning.examined),
    }


def _tried(tried: Tried) -> dict[str, Any]:
    return {
        **tried._asdict(),
        "settings": dict(tried.settings),
        "seconds": round(tried.seconds, 7),
        "fate": tried.fate.value,
    }


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.3g} ms"
