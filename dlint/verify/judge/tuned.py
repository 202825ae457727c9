"""What tuning came to, beside the verdict about the setting that won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Fate(StrEnum):
    """What became of a setting."""

    PRESENT = "present"
    WON = "won"
    LOST = "lost"
    FAILED = "failed"
    TOO_LARGE = "too large"


class Tried(NamedTuple):
    """A setting of the loader that feeds the training."""

    settings: Mapping[str, Any]
    """All arguments that were tried, also those that stayed as they are."""
    seconds: float
    """A batch, as it was foreseen."""
    memory: int
    """Bytes of all processes, as it was foreseen; measured of one that was run for that."""
    fate: Fate
    against: str = ""
    """What it lost to."""
    ratio: float | None = None
    """How many times as long it took as that."""
    why: str = ""


@dataclass(slots=True)
class Tuning:
    """What settings were tried, and why these."""

    place: tuple[str, int] | None
    """Where the loader is made."""
    memory_limit: int
    tried: Sequence[Tried] = ()
    """The present setting first, then the others, those that came farthest first."""
    recommended: Mapping[str, Any] | None = None
    """What to give the loader; None where the present setting is to stay."""
    why: str = ""
    """Why it stays."""
    ideas: Sequence[str] = ()
    """What else could be done that changes what is trained, and is not tried."""
    answer: str = ""
    """What binds the loop, in a sentence."""
    ceiling: str = ""
    """The most that loading faster could bring."""
    written: Sequence[str] = ()
    """What `--apply` wrote, or why it did not; a line each."""
    lead: str = ""
    """The ceiling and the time line as the beginning of a page."""
    examined: Mapping[str, Any] = field(default_factory=dict)
    """What one run of the script showed: the document of `dlint doctor`."""
