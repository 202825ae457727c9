"""What `dlint doctor` asks beside the times of batches; loaded for its runs only."""

from __future__ import annotations

from typing import Any

from ..state import State


def install(state: State, plan: dict[str, Any]) -> None:
    """Divide the run of this process into parts, and time what workers do."""
    from . import fetching, phases

    state.doctor = phases.Phases(state, plan)
    fetching.listen(state)
