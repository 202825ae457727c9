"""Why the figures of a run may not be relied on."""

from __future__ import annotations

from collections.abc import Iterator

from dlint.doctor.ceiling import Ceiling
from dlint.doctor.timeline import TimeLine

_FEW = 30
"""Steps under which it is told how few there are."""
_APART = 4 / 3
"""How many times as long a step may work in the window as in the replay, or the other way round."""


def cautions(line: TimeLine, most: Ceiling | None, ranks: int) -> Iterator[str]:
    """What a reader must know of a time line and a ceiling before he acts by them."""
    if line.steps < _FEW:
        yield f"all of this rests on {line.steps} steps: more time (`--time`) makes it surer"
    if most is None or most.replay is None or line.device is not None or ranks > 1:
        return  # what is behind a wait is no step of a device, and ranks wait for each other there
    if not 1 / _APART <= most.behind / max(1e-9, most.replay) <= _APART:
        yield (
            f"a step worked {_ms(most.behind)} on its batch while data were loaded and "
            f"{_ms(most.replay)} with batches from memory: the machine was busy, with workers or "
            "with other programs, and neither the parts of a step nor the ceiling is certain"
        )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms"
