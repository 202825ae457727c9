"""What the device does in the window, as the profiler of torch sees it; in a run of its own."""

# ruff: noqa: PTH105, PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import accelerator
from .state import State, synchronise


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong is told where the program's own errors are, and ends nothing."""
    try:
        yield
    except Exception as error:
        sys.stderr.write(f"dlint: the profiler of torch: {type(error).__name__}: {error}\n")


def begin(state: State) -> None:
    """Record from here, where there is a device; a profiler that fails records nothing."""
    device = accelerator.in_use() if state.config.get("profile") else None
    if device is None:
        return
    with _told():
        from torch.profiler import ProfilerActivity, profile

        if device.activity is None:
            raise RuntimeError(f"it does not record {device.kind}")
        # The calls of the program, too: they tell which kernels a graph should have shown.
        profiler: Any = profile(activities=[ProfilerActivity.CPU, device.activity])
        profiler.start()
        synchronise()
        state.profiler = profiler


def end(state: State) -> None:
    """Write what was recorded."""
    profiler, state.profiler = state.profiler, None
    if profiler is None:
        return
    with _told():
        profiler.stop()
        path = os.path.join(state.config["out"], f"trace.{state.pid}.json")
        profiler.export_chrome_trace(path + ".new.json")
        os.replace(path + ".new.json", path)
