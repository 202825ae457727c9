"""What the user sets of a verification."""

from __future__ import annotations

from typing import NamedTuple

from dlint.verify.measure import windows


class Options(NamedTuple):
    """What the user sets."""

    gpu: bool = False
    window: windows.Asked = windows.Asked()
    pairs: int = 24
    budget: float = 180.0
    """Seconds of wall time, of everything."""
    began: float | None = None
    """When the command was started, on the monotonic clock."""
    confidence: float | None = None
    effect: float = 0.03
    keep_going: bool = False
    busy: bool = False
    """Whether others use the machine."""
    self_test: bool = False
    """Whether the script is measured against itself."""
    design: str = "duet"
    """`duet`: both live at once and take turns, where that can be; or `pairs` of runs, one after
    the other."""
    room: int = 1
    """How many such programs may live at once; the session finds that out."""
    where_it_waits: bool = True
    """Whether workers are tried where the loop waits for data."""
    look_steps: int = 120
    look_seconds: float = 20.0
