"""Whether others use the machine, said before anything is timed on it."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress

import psutil

_SECONDS = 0.3
_MUCH_STEAL, _MUCH_LOAD, _MUCH_GPU = 0.05, 0.5, 20


def busy() -> list[str]:
    """What is going on beside the measurement, in words; nothing on a quiet machine."""
    found = [_load(), _stolen(), *_gpus()]
    return [f"the machine is busy: {text}" for text in found if text is not None]


def _load() -> str | None:
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with suppress(OSError, AttributeError):
        load = os.getloadavg()[0]
        if load > _MUCH_LOAD * (cpus or 1):
            return f"a load of {load:.1f} on {cpus} CPUs; small effects will take longer to tell"
    return None


def _stolen() -> str | None:
    """The share of time that the host gave to others; only Linux counts it."""
    first = psutil.cpu_times()
    time.sleep(_SECONDS)
    second = psutil.cpu_times()
    whole = sum(second) - sum(first)
    stolen = getattr(second, "steal", 0.0) - getattr(first, "steal", 0.0)
    if whole > 0 and stolen / whole > _MUCH_STEAL:
        return f"its host gives {stolen / whole:.0%} of the CPU time to others"
    return None


def _gpus() -> list[str]:
    command = ["nvidia-smi", "--query-gpu=index,utilization.gpu", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return []
    rows = [line.split(",") for line in done.stdout.splitlines()] if not done.returncode else []
    return [
        f"something computes on GPU {number.strip()} for {use.strip()} % of the time"
        for number, use in rows
        if use.strip().isdigit() and int(use) > _MUCH_GPU
    ]
